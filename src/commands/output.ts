import { open, realpath, rename, rm, stat } from 'node:fs/promises';
import { messageOf, PatchgateError, systemCode } from '../errors.ts';

/** Where a command writes what it has to say. */
export interface Output {
  /** Resolves when there is room for more; false: nobody reads any more (`| head`), so nothing needs to be made. */
  write(text: string): Promise<boolean>;
}

/** Standard output. @throws PatchgateError `cannot-write` from `write` */
export function standardOutput(): Output {
  let failure: Error | undefined;
  const { stdout } = process;
  stdout.on('error', (error) => {
    failure = error;
  });
  return {
    async write(text) {
      if (failure === undefined && !stdout.write(text)) await room(stdout);
      if (failure === undefined) return true;
      if (systemCode(failure) === 'EPIPE') return false;
      throw new PatchgateError('cannot-write', `cannot write the output: ${messageOf(failure)}`, {
        cause: failure,
      });
    },
  };
}

/** Resolves when there is room, or when there never will be. */
function room(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      stream.off('drain', done).off('close', done);
      resolve();
    };
    stream.on('drain', done).on('close', done);
  });
}

/**
 * A file that stands there once it is whole, or stays as it was. Of one that is there already, its links and permissions stay.
 *
 * @param write is given where to write
 * @throws PatchgateError `cannot-write`, or what `write` throws
 */
export async function writeFileWhole<T>(file: string, write: (output: Output) => Promise<T>): Promise<T> {
  const failed = (error: unknown) =>
    new PatchgateError('cannot-write', `cannot write ${file}: ${messageOf(error)}`, { cause: error });
  const place = await realpath(file).catch(() => file);
  const former = await stat(place).catch(() => undefined);
  if (former && !former.isFile()) throw failed(new Error('what stands there is no file'));
  const temporary = `${place}.${process.pid}.tmp`;
  const handle = await open(temporary, 'wx', former?.mode).catch((error: unknown) => {
    throw failed(error);
  });
  try {
    const result = await write({
      async write(text) {
        await handle.writeFile(text).catch((error: unknown) => {
          throw failed(error);
        });
        return true;
      },
    });
    await handle.close();
    await rename(temporary, place).catch((error: unknown) => {
      throw failed(error);
    });
    return result;
  } catch (error) {
    await handle.close();
    await rm(temporary, { force: true });
    throw error;
  }
}
