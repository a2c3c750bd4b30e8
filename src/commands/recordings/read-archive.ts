import { createReadStream } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PatchgateError, whyUnreadable } from '../../errors.ts';
import type { HarEntry } from '../../recordings/har/har.ts';
import { type HarContent, readHar } from '../../recordings/har/read-har.ts';

/** An archive is in memory as one text. */
const LARGEST = 256 * 1024 * 1024;

/** Stands for the standard input, which can be read only once. */
export const STDIN = '-';

/** @throws PatchgateError `bad-input` where it cannot be read, is broken or has more than 256 MiB */
export async function readArchive(file: string): Promise<HarContent> {
  const name = file === STDIN ? 'the standard input' : file;
  return readHar(await bytesOf(file === STDIN ? process.stdin : createReadStream(file), name), name);
}

async function bytesOf(stream: NodeJS.ReadableStream, name: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > LARGEST) break;
    }
  } catch (error) {
    throw new PatchgateError('bad-input', `cannot read ${name}: ${whyUnreadable(error)}`, { cause: error });
  }
  if (size <= LARGEST) return Buffer.concat(chunks);
  throw new PatchgateError('bad-input', `${name} has more than 256 MiB`, {
    hint: 'export it in parts: filter by host in the tool that wrote it, or record less at a time',
  });
}

/**
 * The bodies of an entry that are in files beside the archive, where Playwright writes them.
 *
 * @throws PatchgateError `bad-input` where one cannot be read, or is not beside it
 */
export async function attachedTo(file: string, { request, response }: HarEntry) {
  return {
    request: await attached(file, request.postData?._file),
    response: await attached(file, response?.content?._file),
  };
}

/** One of them. @param name as the archive gives it */
export async function attached(file: string, name: string | null | undefined): Promise<Buffer | undefined> {
  if (!name) return undefined;
  const beside = join(dirname(file), name);
  // A link could lead anywhere, and what it leads to would get into the recording. That there is none is said by reading.
  const stats = await lstat(beside).catch(() => undefined);
  if (!/[/\\\0]|^\.\.?$/.test(name) && (stats?.isFile() ?? true))
    return bytesOf(createReadStream(beside), beside);
  throw new PatchgateError(
    'bad-input',
    `${file} names a body that is no file in its folder: ${JSON.stringify(name)}`,
  );
}
