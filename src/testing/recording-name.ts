import { createHash } from 'node:crypto';
import { basename, dirname, relative, sep } from 'node:path';
import { findConfigFile } from '../settings/config-file.ts';
import { type NamedTest, namesOf } from './test-names.ts';

/** Characters of a name that are there to be read. */
const READABLE = 72;
/** Hexadecimal digits: 48 bits. */
const HASH = 12;

/**
 * The name of a recording for one test alone: `checkout-creates-a-project-1f3a9c2b7d0e`. It has words of the test's name and
 * the hash of its file and full name, so that no two tests share one, whatever they are called and on whatever file system.
 * The same test has the same name on every machine: its file counts from the folder of the config file, or else the working
 * folder.
 *
 * @param test a text of one's own; what a test function is given by vitest (`({ task })`, or the task), `node:test` (`t`) or
 *   Playwright (`testInfo`); `this.test` of mocha; `expect.getState()` of jest or vitest, which tells cases of a table apart by their titles alone
 * @throws PatchgateError `bad-usage` where it has another form, or no test runs
 */
export function recordingName(test: NamedTest): string {
  const { file, names } = namesOf(test);
  const place = file === undefined ? undefined : relative(home(), file).split(sep).join('/');
  const identity = JSON.stringify([place ?? null, ...names]);
  const hash = createHash('sha256').update(identity).digest('hex').slice(0, HASH);
  const readable = wordsOf([place === undefined ? '' : titleOf(place), ...names].join(' '));
  return readable === '' ? hash : `${readable}-${hash}`;
}

/** The folder from which recordings are found, too. */
function home(): string {
  const cwd = process.cwd();
  const file = findConfigFile(process.env.PATCHGATE_CONFIG || undefined, cwd);
  return file === undefined ? cwd : dirname(file);
}

/** `test/checkout.test.ts` -> `checkout` */
function titleOf(file: string): string {
  return basename(file).replace(/(?:[.-](?:test|spec))?\.\w+$/, '');
}

/** What every file system takes and tells apart: small letters and digits of ASCII, with one `-` between words. */
function wordsOf(text: string): string {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  const words = plain.replace(/[^a-z0-9]+/g, '-').replace(/^-/, '');
  return words.slice(0, READABLE).replace(/-$/, '');
}
