import { constants } from 'node:buffer';
import { createReadStream, readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { PatchgateError, whyUnreadable } from '../../errors.ts';
import type { RequestHead } from '../../http/http.ts';
import { type Skipped, STDIN_NAME } from '../../reporters/report.ts';
import type { SentExchange } from '../recorded-history.ts';
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
 * @throws PatchgateError `bad-input` if it cannot be read, or is longer than a text can be in Node.js
 */
export async function readInput(file: string, io: InputIo, bodyLimit: number): Promise<Input> {
  const path = file === STDIN ? undefined : resolve(io.cwd, file);
  const name = path === undefined ? STDIN_NAME : file;
  try {
    const bytes = await bytesOf(path, io, (start, size) => {
      if (size > constants.MAX_STRING_LENGTH) throw tooLong(name);
      return size > bodyLimit && kindOf(start, file) === 'body';
    });
    const kind = kindOf(startOf(bytes), file);
    return { kind, name, path, bytes: kind === 'body' ? bytes.subarray(0, bodyLimit + 1) : bytes };
  } catch (error) {
    if (error instanceof PatchgateError) throw error;
    throw new PatchgateError('bad-input', `cannot read ${name}: ${whyUnreadable(error)}`, { cause: error });
  }
}

/** @param isEnough told the first bytes and the size so far */
async function bytesOf(
  path: string | undefined,
  io: InputIo,
  isEnough: (start: string, size: number) => boolean,
): Promise<Buffer> {
  const stats = path === undefined ? undefined : statSync(path);
  if (path !== undefined && stats?.isFile()) {
    isEnough('', stats.size);
    // Through a stream, a small one takes longer than to judge it.
    return readFileSync(path);
  }
  const chunks: Buffer[] = [];
  let size = 0;
  let start = '';
  for await (const chunk of path === undefined ? io.stdin : createReadStream(path)) {
    chunks.push(chunk);
    size += chunk.length;
    if (start.length < START_LENGTH) start = startOf(Buffer.concat(chunks));
    if (isEnough(start, size)) break;
  }
  return Buffer.concat(chunks);
}

function startOf(bytes: Buffer): string {
  return bytes.toString('latin1', 0, START_LENGTH);
}

function tooLong(name: string): PatchgateError {
  const limit = `${Math.ceil(constants.MAX_STRING_LENGTH / 1024 / 1024)} MiB`;
  return new PatchgateError('bad-input', `${name} has more than ${limit}, the longest text in Node.js`, {
    hint: 'give it in parts: record into several recordings, export fewer hosts, or without large responses',
  });
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
