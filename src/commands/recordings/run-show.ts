import { PatchgateError } from '../../errors.ts';
import { findRecording } from '../../recordings/find-recording.ts';
import { redactExchange } from '../../recordings/redaction/redact-exchange.ts';
import type { Redaction } from '../../recordings/redaction/redaction.ts';
import { openStore } from '../../recordings/store/open-store.ts';
import type { Output } from '../output.ts';
import { exchangeLine, exchangeText } from './exchange-text.ts';
import { inOrder, type Numbered } from './in-order.ts';
import { chooser, isSelecting, type Selection } from './selection.ts';

export interface ShowArgs {
  /** That of all recordings. */
  folder: string;
  name: string;
  /** Those to be shown in full; empty: all that are selected, one line each. */
  numbers: readonly number[];
  selection: Selection;
  /** All that are selected in full. */
  full: boolean;
  format: 'text' | 'json';
  redaction: Redaction;
  /** Milliseconds since the epoch. */
  now: number;
}

/** Writes exchanges of a recording, redacted. @throws PatchgateError `bad-usage` where a number is none of it */
export async function runShow(args: ShowArgs, output: Output): Promise<void> {
  const { folder, name, numbers, redaction, now } = args;
  await findRecording(folder, name);
  const store = await openStore(folder, name);
  try {
    const isFull = args.full || numbers.length > 0;
    let found = 0;
    for (const one of inOrder(store, chooser(args.selection))) {
      if (numbers.length > 0 && !numbers.includes(one.number)) continue;
      const clean: Numbered = { ...one, exchange: redactExchange(one.exchange, redaction) };
      const text =
        args.format === 'json'
          ? jsonLine(clean, found)
          : isFull
            ? exchangeText(clean, now)
            : exchangeLine(clean, now);
      found++;
      if (!(await output.write(text))) return;
    }
    if (found < numbers.length || (found === 0 && isSelecting(args.selection))) throw nothingFound(args);
    if (args.format === 'json') await output.write(found === 0 ? '[]\n' : '\n]\n');
    else if (found === 0) await output.write(`${name} holds no exchanges\n`);
  } finally {
    await store.close();
  }
}

/** One member of a list that is written piece by piece. */
function jsonLine({ number, exchange }: Numbered, before: number): string {
  return `${before === 0 ? '[\n' : ',\n'}${JSON.stringify({ number, ...exchange }, null, 2)}`;
}

function nothingFound({ name, numbers }: ShowArgs): PatchgateError {
  const what = numbers.length > 0 ? `exchange ${numbers.join(', ')}` : 'such an exchange';
  return new PatchgateError('bad-usage', `${name} does not hold ${what}`, {
    hint: `patchgate recordings show ${name} lists what it holds`,
  });
}
