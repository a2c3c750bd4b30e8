import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { checkRecordingName } from '../../src/recordings/files.ts';
import { type NamedTest, recordingName } from '../../src/testing/index.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

const file = (path: string) => join(process.cwd(), path);

describe('the name of a recording for one test', () => {
  it.each([
    ['checkout', /^checkout-[0-9a-f]{12}$/],
    ['Überprüft « été » ½', /^uberpruft-ete-1-2-[0-9a-f]{12}$/],
    ['日本語', /^[0-9a-f]{12}$/],
    ['con', /^con-[0-9a-f]{12}$/],
    ['../../etc/passwd', /^etc-passwd-[0-9a-f]{12}$/],
    ['a'.repeat(500), /^a{72}-[0-9a-f]{12}$/],
    ['. ', /^[0-9a-f]{12}$/],
  ])('can be read, and is one everywhere: %s', (name, expected) => {
    expect(recordingName(name)).toMatch(expected);
    expect(() => checkRecordingName(recordingName(name))).not.toThrow();
  });

  it('is that of no other', () => {
    const names = ['a', 'A', 'a ', 'a-', 'a b', 'a-b', 'a/b', 'ä', 'a\u0308', recordingName('a')];
    const long = 'x'.repeat(200);
    names.push(long, `${long}y`, JSON.stringify([null, 'a']));
    expect(new Set(names.map((name) => recordingName(name).toLowerCase())).size).toBe(names.length);
  });

  it('does not change', () => {
    expect(recordingName('checkout')).toBe('checkout-1f6dc1463dea');
    const state = { currentTestName: 'suite adds', testPath: file('test/cart.test.ts') };
    expect(recordingName(state)).toBe('cart-suite-adds-6aeb28d39ccb');
    vi.spyOn(process, 'cwd').mockReturnValue('/elsewhere/project');
    expect(recordingName({ ...state, testPath: '/elsewhere/project/test/cart.test.ts' })).toBe(
      'cart-suite-adds-6aeb28d39ccb',
    );
  });

  it.each([
    ['', 'it is an empty text'],
    [undefined, 'it is undefined'],
    [{}, 'it has no name'],
    [{ testPath: '/a.test.ts' }, 'none runs'],
  ])('asks for a test: %j', (test, why) => {
    expect(() => recordingName(test as NamedTest)).toThrow(why);
  });
});

describe('what a runner gives', () => {
  it("is vitest's task or context", ({ task, ...context }) => {
    const name = recordingName(task);
    expect(name).toMatch(/^recording-name-what-a-runner-gives-is-vitest-s-task-or-context-[0-9a-f]{12}$/);
    expect(recordingName({ ...context, task })).toBe(name);
  });

  const same: string[] = [];
  it.for([1, 2])('is told apart in a table', (_, { task }) => {
    same.push(recordingName(task));
    expect(new Set(same).size).toBe(same.length);
  });

  it('is told apart by its suites, its file and its project', ({ task }) => {
    const other = (file: object, suite: object | undefined = task.suite) =>
      recordingName({ name: task.name, type: 'test', file: { ...task.file, ...file }, suite } as never);
    const names = [
      recordingName(task),
      other({ filepath: file('test/other.test.ts') }),
      other({ projectName: 'node' }),
      other({}, { name: 'another', tasks: [] }),
    ];
    expect(new Set(names).size).toBe(names.length);
  });

  it("is node:test's context", () => {
    const t = { name: 'adds', fullName: 'cart > adds', filePath: file('test/cart.test.js') };
    expect(recordingName(t)).toMatch(/^cart-cart-adds-[0-9a-f]{12}$/);
    // Older versions of Node know no more, but that a file is a process.
    const older = recordingName({ name: 'adds' });
    expect(older).toMatch(/adds-[0-9a-f]{12}$/);
    vi.spyOn(process, 'argv', 'get').mockReturnValue(['node', file('test/cart.test.js')]);
    expect(recordingName({ name: 'cart > adds' })).toBe(recordingName(t));
    expect(older).not.toBe(recordingName({ name: 'adds' }));
  });

  it("is Playwright's testInfo", () => {
    const info = { title: 'adds', file: file('test/cart.spec.ts'), retry: 0 };
    const titlePath = ['cart.spec.ts', 'cart', 'adds'];
    const name = recordingName({ ...info, titlePath, project: { name: '' } });
    expect(name).toMatch(/^cart-cart-adds-[0-9a-f]{12}$/);
    const others = [
      { titlePath: ['cart.spec.ts', 'basket', 'adds'] },
      { project: { name: 'chromium' } },
      { file: file('test/other.spec.ts') },
    ].map((other) => recordingName({ ...info, titlePath, ...other }));
    expect(new Set([name, ...others]).size).toBe(4);
    expect(recordingName({ ...info, titlePath, retry: 1 })).toBe(name);
  });

  it("is mocha's test", () => {
    const test = { title: 'adds', file: file('test/cart.js'), titlePath: () => ['cart', 'adds'] };
    expect(recordingName(test)).toMatch(/^cart-cart-adds-[0-9a-f]{12}$/);
  });
});
