import { constants } from 'node:buffer';
import { createReadStream, readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { PatchgateError, whyUnreadable } from '../../errors.ts';
import { isObject } from '../../json/json.ts';
import { STDIN_NAME } from '../../reporters/report.ts';

/** The word for standard input. */
export const STDIN = '-';

type InputKind = 'body' | 'recording' | 'har' | 'requests' | 'audit';

export interface Input {
  kind: InputKind;
  /** For people: the file as given, `<stdin>` for standard input. */
  name: string;
  /** Absolute; undefined: standard input. */
  path: string | undefined;
  /** Of a body at most one byte more than the limit, so that it still shows as too large. */
  bytes: Buffer;
}

export interface InputIo {
  /** Asked for only where it is to be read. */
  readonly stdin: AsyncIterable<Buffer>;
  readonly cwd: string;
}

/**
 * Reads a file, or standard input for `-`, and tells what it is.
 *
 * @param bodyLimit bytes of a body that the gate reads
 * @throws PatchgateError `bad-input` where it cannot be read, or is longer than a text can be in Node.js
 */
export async function readInput(file: string, io: InputIo, bodyLimit: number): Promise<Input> {
  const path = file === STDIN ? undefined : resolve(io.cwd, file);
  const name = path === undefined ? STDIN_NAME : file;
  const chunks: Buffer[] = [];
  let kind: InputKind | undefined;
  let size = 0;
  for await (const chunk of chunksOf(name, path, io)) {
    chunks.push(chunk);
    size += chunk.length;
    if (kind === undefined && size >= START_LENGTH) kind = kindByStart(startOf(chunks), file);
    if (kind === undefined && size > bodyLimit)
      kind = isJsonLines(Buffer.concat(chunks).toString('utf8'), false) ? 'requests' : 'body';
    if (kind === 'body') break;
    if (size > constants.MAX_STRING_LENGTH) throw tooLong(name);
  }
  const bytes = Buffer.concat(chunks);
  kind ??= kindByStart(startOf(chunks), file);
  kind ??= isJsonLines(bytes.toString('utf8'), true) ? 'requests' : 'body';
  return { kind, name, path, bytes: kind === 'body' ? bytes.subarray(0, bodyLimit + 1) : bytes };
}

async function* chunksOf(name: string, path: string | undefined, io: InputIo): AsyncGenerator<Buffer> {
  try {
    const stats = path === undefined ? undefined : statSync(path);
    if (path === undefined) yield* io.stdin;
    else if (!stats?.isFile()) yield* createReadStream(path);
    else if (stats.size > constants.MAX_STRING_LENGTH) throw tooLong(name);
    // Through a stream, a small one takes longer than to judge it.
    else yield readFileSync(path);
  } catch (error) {
    if (error instanceof PatchgateError) throw error;
    throw new PatchgateError('bad-input', `cannot read ${name}: ${whyUnreadable(error)}`, { cause: error });
  }
}

function tooLong(name: string): PatchgateError {
  const limit = `${Math.ceil(constants.MAX_STRING_LENGTH / 1024 / 1024)} MiB`;
  return new PatchgateError('bad-input', `${name} has more than ${limit}, the longest text in Node.js`, {
    hint: 'give it in parts: record into several recordings, export fewer hosts, or without large responses',
  });
}

function startOf(chunks: readonly Buffer[]): string {
  return chunks.map((chunk) => chunk.toString('latin1', 0, START_LENGTH)).join('');
}

/** Bytes by which most kinds can be told. */
const START_LENGTH = 256;

/** What each line of an audit begins with. */
export const AUDIT_START = /^\s*\{\s*"audit"\s*:/;

/** Each is told by its first member; no body of the service begins like that. */
const STARTS: readonly [InputKind, RegExp][] = [
  ['recording', /^\s*\{\s*"(?:formatVersion|exchanges)"\s*:/],
  ['har', /^\s*\{\s*"log"\s*:/],
  ['audit', AUDIT_START],
  [
    'requests',
    /^\s*\{\s*"(?:method"\s*:\s*"[A-Za-z]+"|(?:url|path)"\s*:\s*"(?:\/|https?:)|request"\s*:\s*\{)/,
  ],
];
const NAMES: readonly [InputKind, RegExp][] = [
  ['har', /\.har$/i],
  ['requests', /\.(?:jsonl|ndjson)$/i],
];

/** In the place of a recording's file, another one is a body only where it begins like one. */
const RECORDING_NAME = /(?:^|[/\\])[A-Z-]+\.json$/;
const BODY_START = /^\s*\{\s*(?:\}|"(?:[^"\\]|\\.)*"\s*:)/;

/**
 * What a file is by how it begins, or else by its name; undefined where that does not tell: a body, or lines of requests.
 *
 * @param start its first characters (Latin-1), `START_LENGTH` of them where it has so many
 */
function kindByStart(start: string, name: string): InputKind | undefined {
  const text = start.replace(/^ï»¿/, '');
  const found = STARTS.find(([, sign]) => sign.test(text)) ?? NAMES.find(([, sign]) => sign.test(name));
  if (found) return found[0];
  return RECORDING_NAME.test(name) && !BODY_START.test(text) ? 'recording' : undefined;
}

/**
 * Whether a text is lines of JSON: the first is a whole object, and either there is a second, or it is a request.
 *
 * @param isWhole whether nothing follows the text
 */
function isJsonLines(text: string, isWhole: boolean): boolean {
  const all = text.replace(/^\ufeff/, '').trimStart();
  const end = all.indexOf('\n');
  if (!all.startsWith('{') || (end < 0 && !isWhole)) return false;
  const first = (end < 0 ? all : all.slice(0, end)).trimEnd();
  if (!first.endsWith('}')) return false;
  const rest = end < 0 ? '' : all.slice(end).trimStart();
  if (rest !== '') return rest.startsWith('{');
  // To parse a body twice is not worth it.
  if (!isWhole || !/"(?:method|request)"\s*:/.test(first)) return false;
  try {
    return isRequestLine(JSON.parse(first));
  } catch {
    // The gate says what is wrong with a body.
    return false;
  }
}

/** Whether a value describes a request or an exchange, whole or not; no body of the service has such members. */
export function isRequestLine(value: unknown): boolean {
  if (!isObject(value)) return false;
  return isObject(value.request) || ['method', 'url', 'path'].some((name) => typeof value[name] === 'string');
}
