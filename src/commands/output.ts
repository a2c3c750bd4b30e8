import { chmod, realpath, stat } from 'node:fs/promises';
import type { RuntimeContext } from '../app/modes.ts';
import { messageOf, PatchgateError, systemCode } from '../errors.ts';
import { cannotWrite, writeFileAtomically } from '../recordings/disk.ts';
import { noticeText } from '../reporters/wording.ts';

/** Where a command writes its output. */
export interface Output {
  /** Resolves when there is room for more; false: the reader is gone (`| head`), so nothing more needs to be made. */
  write(text: string): Promise<boolean>;
}

/** Standard output. @throws PatchgateError `cannot-write` from `write` */
export function standardOutput(): Output {
  const { stdout } = process;
  let isGone = false;
  // The callback has the error too; without a listener it would end the process.
  stdout.off('error', ignore).on('error', ignore);
  return {
    write: (text) =>
      new Promise((resolve, reject) => {
        if (isGone) return resolve(false);
        stdout.write(text, (error) => {
          isGone = Boolean(error);
          if (!error || systemCode(error) === 'EPIPE') return resolve(!error);
          const message = `cannot write the output: ${messageOf(error)}`;
          reject(new PatchgateError('cannot-write', message, { cause: error }));
        });
      }),
  };
}

const ignore = () => undefined;

/** Replaces a file whole or not at all; links to it and its permissions stay. @throws PatchgateError `cannot-write` */
export async function writeFileWhole(file: string, parts: Iterable<string>): Promise<void> {
  const place = await realpath(file).catch(() => file);
  const former = await stat(place).catch(() => undefined);
  if (former && !former.isFile()) throw cannotWrite(file, new Error('what stands there is no file'));
  await writeFileAtomically(place, [...parts].join(''));
  if (former) await chmod(place, former.mode);
}

/** Tells people something beside the output, on standard error. @param text one or more lines */
export function say(text: string): void {
  process.stderr.write(noticeText(text));
}

/** The context of a server that writes its access log to a stream. */
export function runtimeContext(log: NodeJS.WriteStream): RuntimeContext {
  return {
    writeLog: (text) => log.write(text),
    isLogColoured: isColoured(log, process.env),
    notice: say,
    env: process.env,
  };
}

/** The reader of a server's output may go away (`| head`): the server goes on. A notice tells once that a log cannot be written. */
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
 * Whether texts on a stream may have colours: on a terminal. `NO_COLOR` (https://no-color.org) and `FORCE_COLOR`,
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

/** Resolves at the first signal to stop. A second signal ends it at once, since nothing listens any more. */
export function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    const stop = () => {
      process.off('SIGINT', stop).off('SIGTERM', stop);
      resolve();
    };
    process.on('SIGINT', stop).on('SIGTERM', stop);
  });
}
