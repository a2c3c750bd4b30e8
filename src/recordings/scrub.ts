import { join, relative } from 'node:path';
import type { Exchange, StoredBody } from '../model/exchange.ts';
import { toStoredExchange } from './plain-exchange.ts';
import { redactExchange } from './redaction/redact.ts';
import type { Redaction } from './redaction/redaction.ts';
import { ExchangeFile, readBody } from './store/exchange-file.ts';
import { exchangeText } from './store/file-format.ts';
import { JOURNAL } from './store/file-store.ts';
import { placesIn } from './store/folder-tree.ts';
import { readLegacyJournal } from './store/legacy-journal.ts';
import { locationOf } from './store/location.ts';
import { openStore, readLeft } from './store/open-store.ts';
import { bodyFilesOf } from './store/separate-bodies.ts';

/** A secret that a recording holds, or held until it was scrubbed. */
export interface Leftover {
  /** Relative to the recording's folder. */
  file: string;
  /** `/exchanges/3/request/query/token`, `/exchanges/3/response/body/json/user/email`, `path` for that of the file itself;
   *  `line 12` of a journal. */
  place: string;
  /** Why it is one: `the name "token"`, `the pointer /user/email`, `the pattern \d{16}`, `a GitHub token`. */
  what: string;
}

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
  if (check) return [...(await scrubFiles(root, redaction, true)), ...leftoversInJournal(root, redaction)];
  // What waits comes into the files, and no other process writes as long as it is open.
  const store = await openStore(folder, name, { writable: true });
  try {
    return await scrubFiles(root, redaction, false);
  } finally {
    await store.close();
  }
}

const FORMER_JOURNAL = '.patchgate/journal';

/** What stands in the journal, whether a file has it already or not. */
function leftoversInJournal(root: string, redaction: Redaction): Leftover[] {
  const found = new Map<string, Leftover>();
  // What the former version left is no file of one: its lines are counted through.
  for (const [file, lines] of [
    [JOURNAL, readLeft(root).left],
    [FORMER_JOURNAL, readLegacyJournal(root)],
  ] as const) {
    for (const [index, { exchange }] of lines.entries()) {
      const place = `line ${index + 1}`;
      redactExchange(toStoredExchange(exchange), redaction, ({ what }) => {
        found.set(`${file} ${place} ${what}`, { file, place, what });
      });
    }
  }
  return [...found.values()];
}

async function scrubFiles(root: string, redaction: Redaction, check: boolean): Promise<Leftover[]> {
  const all: Leftover[] = [];
  for (const place of placesIn(root)) {
    const file = new ExchangeFile(join(root, locationOf(place.method, place.path)), place, true);
    const name = relative(root, file.name);
    const exchanges = file.readNow() ?? [];
    const found = new Map<string, Leftover>();
    const clean = exchanges.map((exchange, i): Exchange => {
      const whole = withBodies(exchange, file.name);
      const redacted = redactExchange(whole, redaction, ({ what, place: within }) => {
        const where = within === 'request/path' ? 'path' : `/exchanges/${i}/${within}`;
        found.set(`${where}\n${what}`, { file: name, place: where, what });
      });
      // Its file has the name of its path.
      const { path } = exchange.request;
      const after = { ...redacted, request: { ...redacted.request, path } };
      return exchangeText(after) === exchangeText(whole) ? exchange : after;
    });
    if (!check && clean.some((exchange, i) => exchange !== exchanges[i])) await file.replace(clean);
    all.push(...found.values());
  }
  return all;
}

/** With the bytes of bodies that are in files of their own, which may be texts in another encoding. */
function withBodies(exchange: Exchange, file: string): Exchange {
  const inline = (body: StoredBody | undefined): StoredBody | undefined =>
    body && 'file' in body ? { base64: readBody(file, body).toString('base64') } : body;
  if (bodyFilesOf(exchange).length === 0) return exchange;
  const { request, response } = exchange;
  const asked = inline(request.body);
  const answered = inline(response?.body);
  return {
    ...exchange,
    request: { ...request, ...(asked && { body: asked }) },
    ...(response && { response: { ...response, ...(answered && { body: answered }) } }),
  };
}
