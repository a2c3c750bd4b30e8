import { createHash } from 'node:crypto';
import { basename, dirname, relative, sep } from 'node:path';
import { findConfigFile } from '../settings/config-file.ts';
import { misuse } from './misuse.ts';

/** A text, or what a runner gives a test. */
export type NamedTest = string | object;

/**
 * The name of a recording for one test alone: `checkout-creates-a-project-1f3a9c2b7d0e`. It has words of the test's name and
 * the hash of its file and full name. The same test has the same name on every machine: its file counts from the folder of the
 * config file, or else the working folder.
 *
 * @param test a text; the task of vitest or `{ task }`; the context of `node:test`; `testInfo` of Playwright; `this.test` of
 *   mocha; `expect.getState()` of jest or vitest, which tells cases of a table apart by their titles alone
 * @throws PatchgateError `bad-usage` if it has another form, or no test runs
 */
export function recordingName(test: NamedTest): string {
  const { file, names } = namesOf(test);
  const config = findConfigFile(process.env.PATCHGATE_CONFIG || undefined, process.cwd());
  const home = config === undefined ? process.cwd() : dirname(config);
  const place = file === undefined ? undefined : relative(home, file).split(sep).join('/');
  const identity = JSON.stringify([place ?? null, ...names]);
  const hash = createHash('sha256').update(identity).digest('hex').slice(0, 12);
  // `test/checkout.test.ts` -> `checkout`
  const title = place === undefined ? '' : basename(place).replace(/(?:[.-](?:test|spec))?\.\w+$/, '');
  const readable = wordsOf([title, ...names].join(' '));
  return readable === '' ? hash : `${readable}-${hash}`;
}

/** How often a test has run before, if its runner says it. */
export function attemptOf(test: NamedTest): number {
  return typeof test === 'string' ? 0 : (namesOf(test).attempt ?? 0);
}

/** What every file system takes and tells apart: at most 72 small letters and digits of ASCII, with one `-` between words. */
function wordsOf(text: string): string {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  const words = plain.replace(/[^a-z0-9]+/g, '-').replace(/^-/, '');
  return words.slice(0, 72).replace(/-$/, '');
}

/** What tells a test from all others. `file`: absolute; undefined if the runner does not say it. */
interface TestNames {
  file: string | undefined;
  names: string[];
  attempt?: number | undefined;
}

/** The members by which runners name a test. */
interface RunnerTest {
  name?: string;
  /** Of node:test: with the suites around it, and since Node 22.6 its file. */
  fullName?: string;
  filePath?: string;
  /** Of vitest. */
  task?: object;
  suite?: RunnerTest;
  tasks?: readonly RunnerTest[];
  result?: { retryCount?: number; repeatCount?: number };
  file?: string | (RunnerTest & { filepath: string; projectName?: string });
  /** Of Playwright, if the first title is the file's, and of mocha. */
  titlePath?: readonly string[] | (() => string[]);
  project?: { name: string };
  retry?: number;
  /** Of `expect.getState()`. */
  currentTestName?: string;
  testPath?: string;
}

const GIVE =
  "what the runner gives the test: vitest's task, node:test's context, Playwright's testInfo, mocha's this.test, expect.getState()";

/** @throws PatchgateError `bad-usage` */
function namesOf(given: NamedTest): TestNames {
  if (typeof given === 'string' && given !== '') return { file: undefined, names: [given] };
  if (typeof given !== 'object' || given === null) {
    const what = given === '' ? 'an empty text' : typeof given === 'function' ? 'a function' : String(given);
    throw misuse(`this is no test: it is ${what}`, `give its name, or ${GIVE}`);
  }
  const test: RunnerTest = given;
  const { file, titlePath, testPath, currentTestName, name, fullName = name } = test;
  if (test.task) return namesOf(test.task);
  if (typeof titlePath === 'function') return { file: file as string, names: titlePath.call(test) };
  if (titlePath) {
    const projects = test.project?.name ? [test.project.name] : [];
    return { file: file as string, names: [...projects, ...titlePath.slice(1)], attempt: test.retry };
  }
  if (typeof file === 'object') return ofVitest(test, file);
  if (currentTestName) return { file: testPath, names: [currentTestName] };
  if ('testPath' in test || 'currentTestName' in test)
    throw misuse('this is no test: none runs', 'call it within a test, beforeEach or afterEach');
  if (fullName === undefined) throw misuse('this is no test: it has no name', `give ${GIVE}`);
  // Older versions of Node do not say the file, but each file is a process.
  return { file: test.filePath ?? process.argv[1], names: [fullName] };
}

function ofVitest(task: RunnerTest, file: Exclude<RunnerTest['file'], string | undefined>): TestNames {
  const names: string[] = [];
  for (let one: RunnerTest | undefined = task; one && one !== file; one = one.suite) {
    const { name = '', suite = file } = one;
    // The cases of a table may all be called the same.
    const alike = (suite.tasks ?? []).filter((other) => other.name === name);
    names.unshift(name, ...(alike.length > 1 ? [`#${alike.indexOf(one) + 1}`] : []));
  }
  if (file.projectName) names.unshift(file.projectName);
  const { retryCount = 0, repeatCount = 0 } = task.result ?? {};
  return { file: file.filepath, names, attempt: retryCount + repeatCount };
}
