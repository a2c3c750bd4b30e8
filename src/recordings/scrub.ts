import { join, relative } from 'node:path';
import type { Exchange, StoredBody } from '../model/exchange.ts';
import { readBody } from './files/body-files.ts';
import { type ListedFile, listFiles } from './files/list-files.ts';
import { readRecordingText } from './files/recording-file.ts';
import { replaceExchanges } from './files/replace-exchanges.ts';
import { openStore } from './open-store.ts';
import { redactExchange } from './redaction/redact.ts';
import type { Redaction } from './redaction/redaction.ts';
import { type Leftover, leftoversIn } from './scrub-journal.ts';
import { exchangeText, parseRecording } from './store/file-format.ts';
import { bodyFilesOf } from './store/separate-bodies.ts';

export type { Leftover } from './scrub-journal.ts';

/**
 * Redacts what a recording holds already, as if it were recorded now: what waits in the journal is moved into its files,
 * then each file is replaced whole or not at all. Doing it again changes nothing. A secret in a path stays, since it is the
 * name of a file: it is told of each time.
 *
 * @param check changes nothing, and reads the journal as it is
 * @returns what was found, without the values
 * @throws PatchgateError `recording-in-use`, `bad-recording`, `cannot-read`, `cannot-write`
 */
export async function scrubRecording(
  folder: string,
  name: string,
  redaction: Redaction,
  { check }: { check: boolean },
): Promise<Leftover[]> {
  const root = join(folder, name);
  if (check) return [...(await scrubFiles(root, redaction, true)), ...leftoversIn(root, redaction)];
  // Nobody else writes as long as it is open.
  const store = await openStore(folder, name, { writable: true });
  try {
    await store.flush();
    return await scrubFiles(root, redaction, false);
  } finally {
    await store.close();
  }
}

async function scrubFiles(root: string, redaction: Redaction, check: boolean): Promise<Leftover[]> {
  const all: Leftover[] = [];
  for await (const listed of listFiles(root)) {
    for (const found of await scrubFile(listed, redaction, check))
      all.push({ ...found, file: relative(root, listed.file) });
  }
  return all;
}

async function scrubFile(
  { file, place }: ListedFile,
  redaction: Redaction,
  check: boolean,
): Promise<Omit<Leftover, 'file'>[]> {
  const text = await readRecordingText(file);
  if (text === undefined) return [];
  const { exchanges } = parseRecording(text, file, place);
  const found = new Map<string, Omit<Leftover, 'file'>>();
  const clean: Exchange[] = [];
  for (const [i, exchange] of exchanges.entries()) {
    const whole = await withBodies(exchange, file);
    const redacted = redactExchange(whole, redaction, ({ what, place: within }) => {
      const where = within === 'request/path' ? 'path' : `/exchanges/${i}/${within}`;
      found.set(`${where}\n${what}`, { place: where, what });
    });
    // Its file has the name of its path.
    const { path } = exchange.request;
    const same = exchangeText(redacted) === exchangeText(redactedPath(whole, redacted));
    clean.push(same ? exchange : { ...redacted, request: { ...redacted.request, path } });
  }
  if (!check && clean.some((exchange, i) => exchange !== exchanges[i]))
    await replaceExchanges(file, place, exchanges, clean);
  return [...found.values()];
}

function redactedPath(exchange: Exchange, { request: { path } }: Exchange): Exchange {
  return { ...exchange, request: { ...exchange.request, path } };
}

/** With the bytes of bodies that are in files of their own, which may be texts that nobody could read. */
async function withBodies(exchange: Exchange, file: string): Promise<Exchange> {
  const inline = async (body: StoredBody | undefined): Promise<StoredBody | undefined> =>
    body && 'file' in body ? { base64: (await readBody(file, body)).toString('base64') } : body;
  if (bodyFilesOf(exchange).length === 0) return exchange;
  const { request, response } = exchange;
  const asked = await inline(request.body);
  const answered = await inline(response?.body);
  return {
    ...exchange,
    request: { ...request, ...(asked && { body: asked }) },
    ...(response && { response: { ...response, ...(answered && { body: answered }) } }),
  };
}
