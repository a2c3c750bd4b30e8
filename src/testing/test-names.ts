import { misuse } from './with-hint.ts';

/** A test, as its runner shows it. */
export type NamedTest =
  | string
  | VitestTask
  | { readonly task: VitestTask }
  | NodeTest
  | ExpectState
  | PlaywrightTest
  | MochaTest;

/** What vitest says of a test. */
interface VitestTask {
  readonly name: string;
  readonly type: string;
  readonly suite?: VitestSuite | undefined;
  readonly file: VitestSuite & { readonly filepath: string; readonly projectName?: string | undefined };
  /** Once it has run before. */
  readonly result?: { readonly retryCount?: number; readonly repeatCount?: number } | undefined;
}

interface VitestSuite {
  readonly name: string;
  readonly suite?: VitestSuite | undefined;
  readonly tasks: readonly object[];
}

/** The context of `node:test`. */
interface NodeTest {
  readonly name: string;
  /** With the names of the suites around it. */
  readonly fullName?: string;
  /** Absolute. Node has it since 22.6. */
  readonly filePath?: string | undefined;
}

/** `expect.getState()` of jest and vitest. */
interface ExpectState {
  readonly currentTestName?: string | undefined;
  readonly testPath?: string | undefined;
}

/** `testInfo` of Playwright. */
interface PlaywrightTest {
  /** Absolute. */
  readonly file: string;
  /** Its file, the suites around it, and its own. */
  readonly titlePath: readonly string[];
  readonly project?: { readonly name: string };
  readonly retry?: number;
}

/** `this.test` of mocha, and `this.currentTest` in its hooks. */
interface MochaTest {
  /** Absolute. */
  readonly file?: string | undefined;
  titlePath(): string[];
}

/** What tells a test from all others. */
interface TestNames {
  /** Absolute; undefined where the runner does not say it. */
  file: string | undefined;
  names: string[];
  /** How often it has run before, where the runner says it. */
  attempt?: number | undefined;
}

const GIVE =
  "what the runner gives the test: vitest's task, node:test's context, Playwright's testInfo, mocha's this.test, expect.getState()";

/** @throws PatchgateError `bad-usage` */
export function namesOf(test: NamedTest): TestNames {
  if (typeof test === 'string' && test !== '') return { file: undefined, names: [test] };
  if (typeof test !== 'object' || test === null) {
    const what = test === '' ? 'an empty text' : typeof test === 'function' ? 'a function' : String(test);
    throw misuse(`this is no test: it is ${what}`, `give its name, or ${GIVE}`);
  }
  if ('task' in test) return namesOf(test.task);
  if ('titlePath' in test) return ofTitles(test);
  if ('file' in test && typeof test.file === 'object') return ofVitest(test);
  if ('testPath' in test || 'currentTestName' in test) return ofExpect(test);
  const { name, fullName = name, filePath } = test as NodeTest;
  if (typeof name !== 'string') throw misuse('this is no test: it has no name', `give ${GIVE}`);
  // Where Node does not say it, each file is still a process of its own.
  return { file: filePath ?? process.argv[1], names: [fullName] };
}

function ofVitest(task: VitestTask): TestNames {
  const names: string[] = [];
  const { file } = task;
  for (let one: VitestTask | VitestSuite | undefined = task; one && one !== file; one = one.suite) {
    const { name } = one;
    // The cases of a table may all be called the same.
    const alike = (one.suite ?? file).tasks.filter((other) => 'name' in other && other.name === name);
    names.unshift(name, ...(alike.length > 1 ? [`#${alike.indexOf(one) + 1}`] : []));
  }
  if (file.projectName) names.unshift(file.projectName);
  const { retryCount = 0, repeatCount = 0 } = task.result ?? {};
  return { file: file.filepath, names, attempt: retryCount + repeatCount };
}

function ofTitles(test: PlaywrightTest | MochaTest): TestNames {
  if (typeof test.titlePath === 'function') return { file: test.file, names: test.titlePath() };
  const { file, titlePath, project, retry } = test as PlaywrightTest;
  // The first one is the file once more.
  const names = titlePath.slice(1);
  return { file, names: project?.name ? [project.name, ...names] : names, attempt: retry };
}

function ofExpect({ currentTestName, testPath }: ExpectState): TestNames {
  if (currentTestName) return { file: testPath, names: [currentTestName] };
  throw misuse('this is no test: none runs', 'call it within a test, beforeEach or afterEach');
}
