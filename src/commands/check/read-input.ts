import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { messageOf, PatchgateError } from '../../errors.ts';
import { STDIN } from './find-inputs.ts';

/** Bytes of a recording's file that are read at most: it is held as one text. */
const RECORDING_LIMIT = 256 * 1024 * 1024;

/** A recording's file is told by its first member; no body of the service begins like that. */
const RECORDING_START = /^\s*\{\s*"(?:formatVersion|exchanges)"\s*:/;
const START_LENGTH = 256;
/** One that is empty, or was cut before that, is told by its name. */
const RECORDING_NAME = /(?:^|[/\\])[A-Z-]+\.json$/;
const CUT_START = /^\s*(?:\{\s*(?:"\w*"?\s*)?)?$/;

export interface Input {
  /** For people: the file as given, `<stdin>` for standard input. */
  name: string;
  kind: 'body' | 'recording';
  /** Of a body one byte more than the limit at most, so that it still shows as too large. */
  bytes: Buffer;
}

export interface InputIo {
  /** Asked for only where it is to be read. */
  readonly stdin: AsyncIterable<Buffer>;
  readonly cwd: string;
}

/**
 * Reads a file, or standard input for `-`, no further than is needed to judge it.
 *
 * @param bodyLimit bytes of a body that the gate reads
 * @throws PatchgateError `bad-input` where it cannot be read, or is a recording of more than 256 MiB
 */
export async function readInput(file: string, io: InputIo, bodyLimit: number): Promise<Input> {
  const name = file === STDIN ? '<stdin>' : file;
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of file === STDIN ? io.stdin : createReadStream(resolve(io.cwd, file))) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > bodyLimit && (size > RECORDING_LIMIT || !isRecording(chunks))) break;
    }
  } catch (error) {
    throw new PatchgateError('bad-input', `cannot read ${name}: ${messageOf(error)}`, { cause: error });
  }
  if (!isRecording(chunks) && !(RECORDING_NAME.test(file) && CUT_START.test(startOf(chunks))))
    return { name, kind: 'body', bytes: Buffer.concat(chunks).subarray(0, bodyLimit + 1) };
  if (size > RECORDING_LIMIT) {
    throw new PatchgateError('bad-input', `${name} is a recording of more than 256 MiB`, {
      hint: 'record under several names, or into a recording for each suite',
    });
  }
  return { name, kind: 'recording', bytes: Buffer.concat(chunks) };
}

function isRecording(chunks: readonly Buffer[]): boolean {
  return RECORDING_START.test(startOf(chunks));
}

function startOf(chunks: readonly Buffer[]): string {
  let start = '';
  for (const chunk of chunks) {
    start += chunk.toString('latin1', 0, START_LENGTH);
    if (start.length >= START_LENGTH) break;
  }
  return start;
}
