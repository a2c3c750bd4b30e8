import type { Argv } from 'yargs';
import { messageOf, PatchgateError } from '../../errors.ts';
import type { Exchange } from '../../model/exchange.ts';
import type { Database } from '../../postgres/database.ts';
import { findRecording } from '../../recordings/find-recording.ts';
import { DEFAULT_RULES } from '../../recordings/match-rules.ts';
import { orderTimes } from '../../recordings/order-times.ts';
import type { RecordingStore } from '../../recordings/store.ts';
import { openStore } from '../../recordings/store.ts';
import { takesText } from '../options.ts';

/** Which exchanges are meant; what is not given says nothing. */
export interface Selection {
  /** Paths, with `*` for any characters. */
  path?: string | undefined;
  method?: string | undefined;
  /** Regular expression that something in the exchange must match. */
  grep?: string | undefined;
  /** Name of the session that they were recorded in; `""` is the default one. */
  session?: string | undefined;
}

/** Gives a command the options that say which exchanges are meant. */
export function withSelection<T>(yargs: Argv<T>): Argv<T> {
  return yargs.options({
    path: takesText('Only of this path; * is any characters: /api/*'),
    method: takesText('Only of this method'),
    grep: takesText('Only those in which this regular expression matches'),
    session: takesText('Only those recorded in the session of this name; "" is the default one'),
  }) as unknown as Argv<T>;
}

/** What they say. */
export function selectionOf(argv: Readonly<Record<string, unknown>>): Selection {
  const { path, method, grep, session } = argv as Selection;
  return { path, method, grep, session };
}

export type Choose = (exchange: Exchange) => boolean;

/** @throws PatchgateError `bad-usage` where `grep` is no regular expression */
export function chooser({ path, method, grep, session }: Selection): Choose {
  const paths = path === undefined ? undefined : wildcard(path);
  const wanted = method?.toUpperCase();
  const pattern = grep === undefined ? undefined : regularExpression(grep);
  return (exchange) =>
    (paths?.test(exchange.request.path) ?? true) &&
    (wanted === undefined || exchange.request.method.toUpperCase() === wanted) &&
    (session === undefined || (exchange.meta.session ?? '') === session) &&
    (pattern === undefined || pattern.test(searched(exchange)));
}

/** Whether it leaves anything out. */
export function isSelecting(selection: Selection): boolean {
  return Object.values(selection).some((given) => given !== undefined);
}

/** @param name of the recording */
export function nothingSelected(name: string, numbers: readonly number[] = []): PatchgateError {
  const what = numbers.length === 0 ? 'no such exchange' : `no exchange ${numbers.join(', ')}`;
  return new PatchgateError('bad-usage', `${name} holds ${what}`, {
    hint: `patchgate recordings show ${name} lists what it holds`,
  });
}

/** `/api/*` as a regular expression for the whole text. */
export function wildcard(text: string): RegExp {
  const parts = text.split('*').map((part) => part.replace(/[\\^$.+?()[\]{}|/]/g, '\\$&'));
  return new RegExp(`^${parts.join('[^]*')}$`);
}

function regularExpression(source: string): RegExp {
  try {
    return new RegExp(source, 'u');
  } catch (error) {
    throw new PatchgateError('bad-usage', `--grep: ${messageOf(error)}`, {
      hint: 'it takes a regular expression of JavaScript; put a backslash before a character that is meant literally',
    });
  }
}

/** What `show` would print, about: texts as they are, JSON compact. */
function searched({ request, response }: Exchange): string {
  const lines = [`${request.method} ${request.path}${request.query === '' ? '' : `?${request.query}`}`];
  for (const message of [request, response]) {
    for (const [name, value] of Object.entries(message.headers))
      lines.push(`${name}: ${[value].flat().join(', ')}`);
    const { body } = message;
    if (body && 'text' in body) lines.push(body.text);
    else if (body && 'json' in body) lines.push(JSON.stringify(body.json));
  }
  lines.push(String(response.status));
  return lines.join('\n');
}

/** An exchange with its number in its recording, from 1. */
export interface Numbered {
  number: number;
  exchange: Exchange;
}

/** One of files. */
interface NumberedInFile extends Numbered {
  /** Its place among those of its method and path, from 0. */
  index: number;
}

/** Where a recording is: a database, or in a folder. */
export interface Where {
  /** That of all recordings. */
  folder: string;
  name: string;
  database?: Database | undefined;
}

/**
 * The exchanges of a recording that are chosen, in the order of recording.
 *
 * @param numbers only these; empty: all
 * @throws PatchgateError `bad-usage` where there is none of that name, `bad-recording`, `store-unavailable`
 */
export async function* chosenIn(
  { folder, name, database }: Where,
  selection: Selection,
  numbers: readonly number[] = [],
): AsyncGenerator<Numbered> {
  const isChosen = chooser(selection);
  const store = await openToRead({ folder, name, database });
  try {
    for (const { method, path } of store.places()) await store.ready?.(method, path);
    for (const one of inOrder(store, isChosen))
      if (numbers.length === 0 || numbers.includes(one.number)) yield one;
  } finally {
    await store.close();
  }
}

async function openToRead({ folder, name, database }: Where): Promise<RecordingStore> {
  if (!database) {
    await findRecording(folder, name);
    return openStore(folder, name);
  }
  const { requireStored } = await import('../../postgres/frames.ts');
  const { PgRecordingStore } = await import('../../postgres/recordings.ts');
  await requireStored(database, name);
  return PgRecordingStore.open(name, { database, rules: DEFAULT_RULES });
}

/**
 * The exchanges of a recording in the order in which they were recorded, which in one file is the file's own.
 *
 * @throws PatchgateError `bad-recording` where a file is broken, before anything is given
 */
export function inOrder(store: RecordingStore, choose: Choose): NumberedInFile[] {
  const places = [...store.places()].sort((a, b) => compare(a.path, b.path) || compare(a.method, b.method));
  return places
    .flatMap(({ method, path }) => {
      const timeOf = orderTimes();
      return store
        .exchanges(method, path)
        .all.map(({ exchange }, index) => ({ time: timeOf(exchange), index, exchange }));
    })
    .sort((a, b) => a.time - b.time)
    .map(({ index, exchange }, before) => ({ number: before + 1, index, exchange }))
    .filter(({ exchange }) => choose(exchange));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
