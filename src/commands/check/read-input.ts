import { constants } from 'node:buffer';
import { createReadStream, readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { PatchgateError, whyUnreadable } from '../../errors.ts';
import type { SentExchange } from '../../guard/recorded-history.ts';
import type { RequestHead } from '../../http/http.ts';
import { type Skipped, STDIN_NAME } from '../../reporters/report.ts';
import type { RequestPlaces } from './places.ts';

/** The word for standard input. */
export const STDIN = '-';

type InputKind = 'body' | 'recording' | 'har';

export interface Input {
  kind: InputKind;
  /** For people: the file as given, `<stdin>` for standard input. */
  name: string;
  /** Absolute; undefined: standard input. */
  path: string | undefined;
  /** Of a body at most one byte more than the limit, so that it still shows as too large. */
  bytes: Buffer;
}

/** A request that stands in a JSON text. */
export interface FoundRequest {
  /** Of the request in its file. */
  pointer: string;
  /** Where it begins in its file, if reports say it. */
  line?: number;
  head: RequestHead;
  /** Undefined: it is not in the file. */
  body: Buffer | undefined;
  places: RequestPlaces;
  /** With its response. */
  exchange: () => SentExchange | undefined;
}

/** The requests of one file, and those that cannot be read, in its order. */
export interface FoundRequests {
  /** The file's. */
  text: string;
  requests: AsyncIterable<FoundRequest | Skipped> | Iterable<FoundRequest>;
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
    if (kind === undefined && size >= START_LENGTH) kind = kindOf(startOf(chunks), file);
    if (kind === 'body' && size > bodyLimit) break;
    if (size > constants.MAX_STRING_LENGTH) throw tooLong(name);
  }
  const bytes = Buffer.concat(chunks);
  kind ??= kindOf(startOf(chunks), file);
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

/** Bytes by which the kind is told. */
const START_LENGTH = 256;

/** In the place of a recording's file, another one is a body only where it begins like one. */
const RECORDING_NAME = /(?:^|[/\\])[A-Z-]+\.json$/;
const BODY_START = /^\s*\{\s*(?:\}|"(?:[^"\\]|\\.)*"\s*:)/;

/**
 * Tells the kind by the first member, which no body of the service begins with, or else by the name.
 *
 * @param start its first characters (Latin-1), `START_LENGTH` of them where it has so many
 */
function kindOf(start: string, name: string): InputKind {
  const text = start.replace(/^ï»¿/, '');
  if (/^\s*\{\s*"(?:formatVersion|exchanges)"\s*:/.test(text)) return 'recording';
  if (/^\s*\{\s*"log"\s*:/.test(text) || /\.har$/i.test(name)) return 'har';
  return RECORDING_NAME.test(name) && !BODY_START.test(text) ? 'recording' : 'body';
}
