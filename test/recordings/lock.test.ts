import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { takeLock } from '../../src/recordings/lock.ts';
import { bundleProgram } from '../support/bundle.ts';
import { refusal } from '../support/errors.ts';
import { NO_PID } from '../support/killed.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const DEAD = { pid: NO_PID, host: hostname(), startedAt: '2026-11-20T12:00:00.000Z', id: '0123456789ab' };
const DEAD_TOO = { ...DEAD, id: 'aaaaaaaaaaaa' };

/** A lock's file, with what may lie there already, by the end of its name. */
function newLock(...left: [name: string, holder: unknown][]): string {
  const file = join(temporaryFolder(), 'r', '.patchgate', 'lock');
  mkdirSync(dirname(file), { recursive: true });
  for (const [name, holder] of left)
    writeFileSync(file + name, typeof holder === 'string' ? holder : JSON.stringify(holder));
  return file;
}

const take = (file: string) => takeLock(file, 'the recording r', 'record under another name');
const namesBeside = (file: string) => readdirSync(dirname(file)).sort();

describe('a lock', () => {
  it('is held by one, and is free again when it was released', () => {
    const file = join(temporaryFolder(), 'r', '.patchgate', 'lock');
    const lock = take(file);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ pid: process.pid, host: hostname() });
    expect(refusal('recording-in-use', () => take(file))).toMatch(
      /^the recording r is in use: this process has it since 20\d\d-.*Z \(stop it first, or record under another name; if it is gone, delete /,
    );
    lock.release();
    expect(namesBeside(file)).toEqual([]);
    take(file).release();
  });

  it.each<[string, [string, unknown][]]>([
    ['a process that is gone', [['', DEAD]]],
    ['one that had the pid of this process', [['', { ...DEAD, pid: process.pid, start: '1' }]]],
    [
      'one after the other that died in doing so',
      [
        ['', DEAD],
        [`.${DEAD.id}`, DEAD_TOO],
        ['.cccccccccccc.tmp', ''],
      ],
    ],
  ])('is taken over from %s', (_, left) => {
    const file = newLock(...left);
    const lock = take(file);
    expect(JSON.parse(readFileSync(file, 'utf8')).pid).toBe(process.pid);
    expect(namesBeside(file)).toEqual(['lock']);
    lock.release();
    expect(namesBeside(file)).toEqual([]);
  });

  it.runIf(process.platform === 'linux')('is taken over from one that nobody has waited for', async () => {
    const script = 'exec 3<&0; cat <&3 >/dev/null & echo $!; exec sleep 60';
    const parent = spawn('sh', ['-c', script], { stdio: ['pipe', 'pipe', 'ignore'] });
    onTestFinished(() => void parent.kill());
    const [line] = await once(parent.stdout, 'data');
    const pid = Number(line);
    parent.stdin.end();
    const stat = () => readFileSync(`/proc/${pid}/stat`, 'latin1');
    await expect.poll(stat, { timeout: 10_000 }).toContain(') Z ');
    take(newLock(['', { ...DEAD, pid }])).release();
  });

  it.each<[string, [string, unknown][], string]>([
    [
      'of another process',
      [['', { ...DEAD, pid: process.ppid }]],
      `process ${process.ppid} has it since 2026-11-20`,
    ],
    [
      'that another is about to take over',
      [
        ['', DEAD],
        [`.${DEAD.id}`, { ...DEAD_TOO, pid: process.ppid }],
      ],
      `process ${process.ppid}`,
    ],
    ['of another host', [['', { ...DEAD, host: 'elsewhere' }]], `process ${NO_PID} on the host elsewhere`],
    ['that is empty', [['', '']], 'delete it if no other'],
    ['of no process', [['', '{"pid":0,"id":"a"}']], 'delete it if no other'],
    ['of a name that leads elsewhere', [['', '{"pid":1,"id":"../x"}']], 'delete it if no other'],
  ])('is refused: %s', (_, left, said) => {
    const file = newLock(...left);
    const before = readFileSync(file, 'utf8');
    expect(refusal('recording-in-use', () => take(file))).toContain(said);
    expect(readFileSync(file, 'utf8')).toBe(before);
  });

  it('is no folder, no link to nowhere, and can be written', () => {
    const file = newLock();
    mkdirSync(file);
    expect(refusal('cannot-read', () => take(file))).toContain('it is no file');
    rmSync(file, { recursive: true });
    symlinkSync(join(dirname(file), 'missing'), file);
    expect(refusal('cannot-read', () => take(file))).toContain('it is no file');
    writeFileSync(join(dirname(file), 'file'), '');
    expect(refusal('cannot-write', () => take(join(dirname(file), 'file', 'lock')))).toContain(
      'another name',
    );
  });

  it('stays with who took it after somebody had deleted it', () => {
    const file = newLock();
    const lock = take(file);
    writeFileSync(file, JSON.stringify(DEAD));
    lock.release();
    expect(namesBeside(file)).toEqual(['lock']);
  });
});

const RACING = `
  import { createInterface } from 'node:readline';
  import { takeLock } from './src/recordings/lock.ts';
  let lock;
  createInterface({ input: process.stdin }).on('line', (file) => {
    lock?.release();
    lock = undefined;
    if (file === '') return console.log('released');
    try {
      lock = takeLock(file, 'r', 'wait');
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
      const next = async () => (await lines.next()).value as string;
      return { say: (line: string) => child.stdin.write(`${line}\n`), next };
    });
    const all = () => Promise.all(racers.map(({ next }) => next()));
    expect(await all()).toEqual(racers.map(() => 'ready'));
    for (let round = 0; round < 60; round++) {
      // In turn: nobody's, a dead one's, one that somebody died over.
      const left: [string, unknown][] = [
        ['', DEAD],
        [`.${DEAD.id}`, DEAD_TOO],
      ];
      const file = newLock(...left.slice(0, round % 3));
      for (const { say } of racers) say(file);
      expect((await all()).sort(), `round ${round}`).toEqual([...Array(4).fill('recording-in-use'), 'won']);
      for (const { say } of racers) say('');
      await all();
      expect(namesBeside(file)).toEqual([]);
    }
  });
});
