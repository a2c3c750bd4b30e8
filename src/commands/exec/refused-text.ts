import { losesEnvironment } from '../../model/effect.ts';
import type { Verdict } from '../../model/finding.ts';
import type { Patchgate } from '../../patchgate.ts';
import { REDACTED } from '../../recordings/redaction/redacted.ts';
import { printable } from '../../reporters/wording.ts';
import type { ShownExchange } from '../../server/show-exchange.ts';

/** Requests that are listed. */
const MOST = 5;
/** A miss, of which is told elsewhere. */
const NO_RECORDING = 501;

/** Names that are written out for a flag, and characters of each. */
const MOST_NAMES = 10;
const MOST_CHARACTERS = 100;

/** The last requests that were blocked, or came to grief on their way, oldest first: what was answered, and why. */
export function refusedTexts(gate: Pick<Patchgate, 'exchanges'>): string[] {
  const texts: string[] = [];
  for (const one of gate.exchanges()) {
    const { answeredBy, response, verdict, failure } = one;
    // A fault that was asked for is neither.
    const isRefused = answeredBy === 'gate' && (verdict?.outcome === 'block' || failure !== undefined);
    if (!isRefused || response === undefined || response.status === NO_RECORDING) continue;
    if (texts.push(refusedText(one)) === MOST) break;
  }
  return texts.reverse();
}

function refusedText({ request, response, verdict, failure }: ShownExchange): string {
  const [first] = verdict?.findings.filter(({ severity }) => severity === 'error') ?? [];
  const why = failure ?? (first ? `${first.rule}: ${first.message}` : '');
  const wayOut = verdict?.problem === 'destructive-change' ? `\n  ${wayOutOf(verdict)}` : '';
  return `the gate answered ${request.method} ${request.url} with ${response?.status}: ${why}${wayOut}`;
}

/** How the same command lets go what a request deletes. */
function wayOutOf({ effects = [], effectsOmitted = 0 }: Verdict): string {
  const names = [...new Set(effects.filter(losesEnvironment).map(({ name }) => name))];
  const canBeNamed =
    effectsOmitted === 0 &&
    names.length > 0 &&
    names.length <= MOST_NAMES &&
    names.every((name) => name !== '' && name.length <= MOST_CHARACTERS && !name.includes(REDACTED));
  const flag = canBeNamed ? `--allow-delete '${names.map(patternOf).join(',')}', or with ` : '';
  return `where it is meant to go: the same command with ${flag}--no-guard`;
}

/** A name as the flag takes it between quotes: `?` stands for what the shell, a list or a terminal would take for its own. */
function patternOf(name: string): string {
  return printable(name.replace(/[,'\t]|^\s|\s$/g, '?')).replaceAll('\ufffd', '?');
}
