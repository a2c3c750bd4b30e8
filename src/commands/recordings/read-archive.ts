import { lstat, open } from 'node:fs/promises';
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
  return file === STDIN
    ? readHar(await standardInput(), 'the standard input')
    : readHar(await bytesOf(file), file);
}

async function standardInput(): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of process.stdin) {
    chunks.push(chunk as Buffer);
    size += (chunk as Buffer).length;
    if (size > LARGEST) throw tooLarge('the standard input');
  }
  return Buffer.concat(chunks);
}

async function bytesOf(file: string): Promise<Buffer> {
  try {
    const handle = await open(file);
    try {
      const { size } = await handle.stat();
      if (size > LARGEST) throw tooLarge(file);
      return await handle.readFile();
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (error instanceof PatchgateError) throw error;
    const why = whyUnreadable(error);
    throw new PatchgateError('bad-input', `cannot read ${file}: ${why}`, { cause: error });
  }
}

function tooLarge(file: string): PatchgateError {
  return new PatchgateError('bad-input', `${file} has more than 256 MiB`, {
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
  // A link could lead anywhere, and what it leads to would get into the recording.
  const isBeside = !/[/\\\0]|^\.\.?$/.test(name) && (await isFile(beside));
  if (isBeside) return bytesOf(beside);
  throw new PatchgateError(
    'bad-input',
    `${file} names a body that is no file in its folder: ${JSON.stringify(name)}`,
  );
}

/** True where there is none: reading it says so. */
function isFile(file: string): Promise<boolean> {
  return lstat(file).then(
    (stats) => stats.isFile(),
    () => true,
  );
}
