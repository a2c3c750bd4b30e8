import { realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import type { RuntimeContext } from '../app/compose-upstream.ts';
import { messageOf, PatchgateError, systemCode } from '../errors.ts';
import { noticeText } from '../reporters/wording.ts';

/** Where a command writes its output. */
export interface Output {
  /** Resolves when there is room for more; false: the reader is gone (`| head`), so nothing more needs to be made. */
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
  const parts: string[] = [];
  const result = await write({
    async write(text) {
      parts.push(text);
      return true;
    },
  });
  const place = await realpath(file).catch(() => file);
  const temporary = `${place}.${process.pid}.tmp`;
  try {
    const former = await stat(place).catch(() => undefined);
    if (former && !former.isFile()) throw new Error('what stands there is no file');
    await writeFile(temporary, parts, { flag: 'wx', mode: former?.mode ?? 0o666 });
    await rename(temporary, place);
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') await rm(temporary, { force: true }).catch(() => undefined);
    throw new PatchgateError('cannot-write', `cannot write ${file}: ${messageOf(error)}`, { cause: error });
  }
  return result;
}

/** Tells people something beside the output, on standard error. @param text one or more lines */
export function say(text: string): void {
  process.stderr.write(noticeText(text));
}

/** What a server is given where it keeps its access log on that stream. */
export function runtimeContext(log: NodeJS.WriteStream): RuntimeContext {
  return {
    writeLog: (text) => log.write(text),
    isLogColoured: isColoured(log, process.env),
    notice: say,
    env: process.env,
  };
}

/** The reader of a server's output may go away (`| head`): the server goes on. A log that cannot be written is told once. */
export function ignoreBrokenPipe(): void {
  process.stderr.on('error', () => undefined);
  let isTold = false;
  process.stdout.on('error', (error) => {
    if (isTold || systemCode(error) === 'EPIPE') return;
    isTold = true;
    say(`the output cannot be written: ${messageOf(error)}`);
  });
}

/**
 * Whether what is written to a stream may have colours: on a terminal. `NO_COLOR` (https://no-color.org) and `FORCE_COLOR`,
 * which comes first, say otherwise, as they do to Node.
 */
export function isColoured(
  stream: { readonly isTTY?: boolean },
  env: Readonly<Record<string, string | undefined>>,
): boolean {
  const { FORCE_COLOR: forced, NO_COLOR: unwanted, TERM: terminal } = env;
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  if (unwanted !== undefined && unwanted !== '') return false;
  return stream.isTTY === true && terminal !== 'dumb';
}
