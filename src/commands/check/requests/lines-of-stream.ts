import { PatchgateError } from '../../../errors.ts';
import { Char } from '../../../json/json-lexer.ts';

/** A line that is not blank. */
export interface StreamLine {
  /** Without the line feed. */
  bytes: Buffer;
  /** From 1. */
  line: number;
  /** Whether a line feed ends it. */
  isEnded: boolean;
}

/** Bytes of a line. */
const MOST = 64 * 1024 * 1024;

/**
 * The lines of a file as it is read.
 *
 * @param file its name, for messages
 * @param most bytes of a line
 * @throws PatchgateError `bad-input` where one is too long
 */
export async function* linesOfStream(
  chunks: AsyncIterable<Buffer>,
  file: string,
  most = MOST,
): AsyncGenerator<StreamLine> {
  let parts: Buffer[] = [];
  let size = 0;
  let line = 1;
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(Char.LineFeed); end >= 0; end = chunk.indexOf(Char.LineFeed, from)) {
      const rest = chunk.subarray(from, end);
      const bytes = parts.length === 0 ? rest : Buffer.concat([...parts, rest]);
      if (!isBlank(bytes)) yield { bytes, line, isEnded: true };
      parts = [];
      size = 0;
      line++;
      from = end + 1;
    }
    if (from === chunk.length) continue;
    parts.push(chunk.subarray(from));
    size += chunk.length - from;
    if (size > most) {
      throw new PatchgateError(
        'bad-input',
        `${file}:${line}:1: the line has more than ${most / 1024 / 1024} MiB`,
        {
          hint: 'give JSON Lines: one request on each line',
        },
      );
    }
  }
  const bytes = Buffer.concat(parts);
  if (!isBlank(bytes)) yield { bytes, line, isEnded: false };
}

function isBlank(bytes: Buffer): boolean {
  for (const byte of bytes)
    if (byte !== Char.Space && byte !== Char.Return && byte !== Char.Tab) return false;
  return true;
}
