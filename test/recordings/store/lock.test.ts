import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, describe, expect, it } from 'vitest';
import { takeLock } from '../../../src/recordings/store/lock.ts';
import { refusal } from '../../support/errors.ts';
import { NO_PID } from '../../support/killed.ts';
import { bundleProgram } from '../../support/store-process.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const SINCE = '2026-11-20T12:00:00.000Z';
const DEAD = { pid: NO_PID, host: hostname(), startedAt: SINCE, id: '0123456789ab' };

/** A lock's file, with what may lie there already, by the end of its name. */
function newLock(...left: [name: string, holder: unknown][]): string {
  const file = join(temporaryFolder(), 'r', '.patchgate', 'lock');
  mkdirSync(dirname(file), { recursive: true });
  for (const [name, holder] of left)
    writeFileSync(file + name, typeof holder === 'string' ? holder : JSON.stringify(holder));
  return file;
}

const namesBeside = (file: string) => readdirSync(dirname(file)).sort();

describe('the lock of a recording', () => {
  it('is held by one, and is free again when it was released', () => {
    const file = join(temporaryFolder(), 'r', '.patchgate', 'lock');
    const lock = takeLock('recordings/r', file);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ pid: process.pid, host: hostname() });
    expect(refusal('recording-in-use', () => takeLock('recordings/r', file))).toMatch(
      /^the recording recordings\/r is in use: this process has been recording into it since 20\d\d-.*Z \(close it first/,
    );
    lock.release();
    expect(namesBeside(file)).toEqual([]);
    takeLock('r', file).release();
  });

  it.each([
    ['is gone', DEAD],
    ['is gone, with nothing known of its start', { ...DEAD, processStart: undefined }],
  ])('is taken over where its process %s', (_, holder) => {
    const file = newLock(['', holder]);
    const lock = takeLock('r', file);
    expect(JSON.parse(readFileSync(file, 'utf8')).pid).toBe(process.pid);
    expect(namesBeside(file)).toEqual(['lock']);
    lock.release();
    expect(namesBeside(file)).toEqual([]);
  });

  it.runIf(process.platform === 'linux')('is taken over where another process has that pid by now', () => {
    const file = newLock(['', { ...DEAD, pid: process.pid, processStart: 'an earlier boot:12' }]);
    takeLock('r', file).release();
    expect(namesBeside(file)).toEqual([]);
  });

  it('is taken over where one process after the other died in doing so', () => {
    const second = { ...DEAD, id: 'aaaaaaaaaaaa' };
    const third = { ...DEAD, id: 'bbbbbbbbbbbb' };
    const file = newLock(
      ['', DEAD],
      [`.${DEAD.id}`, second],
      [`.${DEAD.id}.${second.id}`, third],
      [`.${third.id}.tmp`, third],
      ['.cccccccccccc.tmp', ''],
      // From an earlier time: that lock was taken over.
      ['.dddddddddddd', second],
    );
    takeLock('r', file);
    expect(namesBeside(file)).toEqual(['lock']);
  });

  it('is not taken over while another process is about to', () => {
    const other = { ...DEAD, pid: process.ppid, id: 'aaaaaaaaaaaa' };
    const file = newLock(['', DEAD], [`.${DEAD.id}`, other]);
    expect(refusal('recording-in-use', () => takeLock('r', file))).toContain(
      `process ${process.ppid} has been`,
    );
    expect(namesBeside(file)).toEqual(['lock', `lock.${DEAD.id}`]);
  });

  it('names the process that holds it, since when, and what to do', () => {
    const file = newLock(['', { ...DEAD, pid: process.ppid }]);
    const said = refusal('recording-in-use', () => takeLock('r', file));
    expect(said).toContain(`process ${process.ppid} has been recording into it since ${SINCE}`);
    expect(said).toContain(`--recording; if ${process.ppid} is no Patchgate, delete ${file}`);
  });

  it('of another host is never taken over', () => {
    const file = newLock(['', { ...DEAD, host: 'elsewhere' }]);
    const said = refusal('recording-in-use', () => takeLock('r', file));
    expect(said).toContain(`process ${NO_PID} on the host elsewhere`);
    expect(said).toContain(`if it is gone, delete ${file}`);
  });

  it.each(['', '{', '{"pid":0,"id":"a"}', '{"pid":1,"id":"../x"}'])(
    'that says nothing is refused: %s',
    (text) => {
      const file = newLock(['', text]);
      expect(refusal('recording-in-use', () => takeLock('r', file))).toContain(`(delete it if no other`);
      expect(readFileSync(file, 'utf8')).toBe(text);
    },
  );

  it('that is no file is refused: a folder, a link that leads nowhere', () => {
    const file = newLock();
    mkdirSync(file);
    expect(refusal('cannot-write', () => takeLock('r', file))).toContain('it is no file');
    rmSync(file, { recursive: true });
    symlinkSync(join(dirname(file), 'missing'), file);
    expect(refusal('cannot-write', () => takeLock('r', file))).toContain('it is no file');
  });

  it('is not taken away from who took it after somebody had deleted it', () => {
    const file = newLock();
    const lock = takeLock('r', file);
    writeFileSync(file, JSON.stringify(DEAD));
    lock.release();
    expect(namesBeside(file)).toEqual(['lock']);
  });

  it('that cannot be written stops the start', () => {
    const file = newLock();
    writeFileSync(join(dirname(file), 'file'), '');
    expect(refusal('cannot-write', () => takeLock('r', join(dirname(file), 'file', 'lock')))).toContain(
      '--recordings',
    );
  });
});

const RACING = `
  import { createInterface } from 'node:readline';
  import { takeLock } from './src/recordings/store/lock.ts';
  let lock;
  createInterface({ input: process.stdin }).on('line', (file) => {
    lock?.release();
    lock = undefined;
    if (file === '') return console.log('released');
    try {
      lock = takeLock('r', file);
      console.log('won');
    } catch (error) {
      console.log(error.code);
    }
  });
  console.log('ready');
`;

describe('processes that start at the same moment', () => {
  const children: ChildProcess[] = [];
  afterAll(() => {
    for (const child of children) child.kill('SIGKILL');
  });

  it('do not both win, and one does', { timeout: 60_000, tags: 'slow' }, async () => {
    const program = await bundleProgram(RACING, temporaryFolder());
    const racers = Array.from({ length: 5 }, () => {
      const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'] });
      children.push(child);
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
      return {
        say: (line: string) => child.stdin.write(`${line}\n`),
        next: async () => (await lines.next()).value,
      };
    });
    const all = () => Promise.all(racers.map(({ next }) => next()));
    expect(await all()).toEqual(racers.map(() => 'ready'));
    for (let round = 0; round < 60; round++) {
      // In turn: nobody's, a dead one's, one that somebody died over.
      const claim = { ...DEAD, id: 'aaaaaaaaaaaa' };
      const left: [string, unknown][] = [
        ['', DEAD],
        [`.${DEAD.id}`, claim],
      ];
      const file = newLock(...left.slice(0, round % 3));
      for (const { say } of racers) say(file);
      const results = (await all()).sort();
      expect(results, `round ${round}`).toEqual([...Array(4).fill('recording-in-use'), 'won']);
      for (const { say } of racers) say('');
      await all();
      expect(namesBeside(file)).toEqual([]);
    }
  });
});
