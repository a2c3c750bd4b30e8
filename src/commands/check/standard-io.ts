import { messageOf, PatchgateError, systemCode } from '../../errors.ts';
import { isColoured } from '../output.ts';
import { ProgressLine } from './progress.ts';
import type { CheckIo } from './run-check.ts';

/** Those of the process. */
export function standardIo(): CheckIo & { readonly progress?: ProgressLine } {
  const { env, stderr, stdout } = process;
  const toStderr = (text: string) => void stderr.write(text);
  // The log of a CI system keeps every line, so that one which is written over fills it.
  const showsProgress = stderr.isTTY && env.TERM !== 'dumb' && (env.CI ?? '') === '';
  return {
    get stdin() {
      return process.stdin;
    },
    stdout: writeOut,
    stderr: toStderr,
    isColoured: isColoured(stdout, env),
    env,
    cwd: process.cwd(),
    today: new Date().toISOString().slice(0, 10),
    ...(showsProgress && { progress: new ProgressLine(toStderr, () => performance.now()) }),
  };
}

/** @returns false where the reader has seen enough (`| head`), which is no failure */
async function writeOut(text: string): Promise<boolean> {
  const { stdout } = process;
  return new Promise((resolve, reject) => {
    // The callback has the error too; without a listener it would end the process.
    const ignore = () => undefined;
    stdout.once('error', ignore);
    stdout.write(text, (error) => {
      if (!error) stdout.off('error', ignore);
      if (!error || systemCode(error) === 'EPIPE') return resolve(!error);
      const message = `cannot write the report: ${messageOf(error)}`;
      reject(new PatchgateError('cannot-write', message, { cause: error }));
    });
  });
}
