import { createReadStream, readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { PatchgateError, whyUnreadable } from '../../../errors.ts';
import { STDIN_NAME } from '../../../reporters/report.ts';
import { STDIN } from './find-inputs.ts';
import { type InputKind, isJsonLines, kindByStart, START_LENGTH } from './input-kind.ts';

/** Bytes of a recording's file that are read at most: it is held as one text. */
const RECORDING_LIMIT = 256 * 1024 * 1024;
/** Bytes up to which a file is read at once: through a stream, a small one takes longer than to judge it. */
const SMALL = 256 * 1024;

interface Named {
  /** For people: the file as given, `<stdin>` for standard input. */
  name: string;
  /** Absolute; undefined: standard input. */
  path: string | undefined;
}

/** What is held in memory to be judged. */
export interface BytesInput extends Named {
  kind: 'body' | 'recording';
  /** Of a body one byte more than the limit at most, so that it still shows as too large. */
  bytes: Buffer;
}

/** What is judged as it is read. */
export interface StreamInput extends Named {
  kind: 'har' | 'requests';
  chunks: AsyncIterable<Buffer>;
}

type Each<T extends { kind: string }, K = T['kind']> = K extends string ? T & { kind: K } : never;

/** Told apart by `kind`. */
export type Input = Each<BytesInput> | Each<StreamInput>;

export interface InputIo {
  /** Asked for only where it is to be read. */
  readonly stdin: AsyncIterable<Buffer>;
  readonly cwd: string;
}

/**
 * Reads a file, or standard input for `-`, no further than is needed to judge it, or to tell what it is.
 *
 * @param bodyLimit bytes of a body that the gate reads
 * @throws PatchgateError `bad-input` where it cannot be read, or is a recording of more than 256 MiB
 */
export async function readInput(file: string, io: InputIo, bodyLimit: number): Promise<Input> {
  const path = file === STDIN ? undefined : resolve(io.cwd, file);
  const named = { name: path === undefined ? STDIN_NAME : file, path };
  const chunks: Buffer[] = [];
  const source = chunksOf(named, io);
  let kind: InputKind | undefined;
  let size = 0;
  let isWhole = false;
  while (!isWhole) {
    const { value, done } = await source.next();
    isWhole = done === true;
    if (value) chunks.push(value);
    size += value?.length ?? 0;
    if (isWhole || (kind === undefined && size >= START_LENGTH)) kind = kindByStart(startOf(chunks), file);
    if (kind === 'har' || kind === 'requests') return { ...named, kind, chunks: resumed(chunks, source) };
    if (size > (kind === 'recording' ? RECORDING_LIMIT : bodyLimit)) break;
  }
  const bytes = Buffer.concat(chunks);
  if (kind === 'recording') {
    if (isWhole) return { ...named, kind, bytes };
    await source.return(undefined);
    throw new PatchgateError('bad-input', `${named.name} is a recording of more than 256 MiB`, {
      hint: 'record under several names, or into a recording for each suite',
    });
  }
  if (isJsonLines(bytes.toString('utf8'), isWhole))
    return { ...named, kind: 'requests', chunks: resumed([bytes], source) };
  await source.return(undefined);
  return { ...named, kind: 'body', bytes: bytes.subarray(0, bodyLimit + 1) };
}

type Chunks = AsyncGenerator<Buffer, undefined>;

async function* chunksOf({ name, path }: Named, io: InputIo): Chunks {
  try {
    const stats = path === undefined ? undefined : statSync(path);
    if (path === undefined) yield* io.stdin;
    else if (stats?.isFile() && stats.size < SMALL) yield readFileSync(path);
    else yield* createReadStream(path, { highWaterMark: SMALL });
  } catch (error) {
    throw new PatchgateError('bad-input', `cannot read ${name}: ${whyUnreadable(error)}`, { cause: error });
  }
}

/** What was read already, and the rest; without the mark that some tools begin a text with. */
async function* resumed(chunks: readonly Buffer[], rest: Chunks): Chunks {
  try {
    const start = Buffer.concat(chunks);
    yield start.subarray(start.toString('latin1', 0, 3) === 'ï»¿' ? 3 : 0);
    yield* rest;
  } finally {
    // Whoever has seen enough lets go of the file, too.
    await rest.return(undefined);
  }
}

function startOf(chunks: readonly Buffer[]): string {
  let start = '';
  for (const chunk of chunks) {
    start += chunk.toString('latin1', 0, START_LENGTH);
    if (start.length >= START_LENGTH) break;
  }
  return start;
}
