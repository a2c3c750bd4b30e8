import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { MessageChannel } from 'node:worker_threads';
import { beforeEach, expect, it } from 'vitest';
import { Beforehand } from '../../../../src/commands/check/history/beforehand.ts';
import { judgeAll } from '../../../../src/commands/check/judging/judge-all.ts';
import {
  type JudgeWorker,
  judgeInParallel,
} from '../../../../src/commands/check/threads/judge-in-parallel.ts';
import { type Asker, serveJudging } from '../../../../src/commands/check/threads/serve-judging.ts';
import { PatchgateError } from '../../../../src/errors.ts';
import { exchange } from '../../../support/exchanges.ts';
import { gate, PROJECT_URL } from '../../../support/gate.ts';
import { projectOf, writeRecording } from '../../../support/recorded-folder.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const GATE = gate({ guard: 'off' });
const MEANS = {
  gate: GATE,
  as: { operation: 'updateProject' },
  beforehand: new Beforehand({ learn: ['project'] }, []),
};
const LINE = `${JSON.stringify({ method: 'PATCH', url: PROJECT_URL, body: { ...projectOf(1), owner: 1 } })}\n`;
const CLEAN = `${JSON.stringify({ method: 'PATCH', url: PROJECT_URL, body: projectOf(1) })}\n`;

let cwd: string;
let stopped: number;
beforeEach(() => {
  cwd = temporaryFolder();
  stopped = 0;
});

/** In this thread, behind the same messages. */
function worker(means: () => Promise<typeof MEANS> = async () => MEANS): JudgeWorker {
  const { port1, port2 } = new MessageChannel();
  serveJudging(port2 as Asker, means, cwd);
  return Object.assign(port1, {
    terminate() {
      stopped++;
      port1.close();
    },
  }) as unknown as JudgeWorker;
}

function write(files: Record<string, string>): string[] {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), text);
  }
  return Object.keys(files);
}

const unit = (...files: number[]) => ({ files, cost: 1 });
const io = () => ({ cwd, stdin: (async function* () {})() });

it('gives what one thread gives, in the order of the files', async () => {
  const recorded = writeRecording(join(cwd, 'r'), [
    exchange({ method: 'GET', answer: { json: { _data: projectOf(1, 7) } } }),
    exchange({ body: { json: projectOf(1) }, recordedAt: '2026-11-20T13:00:00.000Z' }),
  ]).map((name) => `r/${name}`);
  const files = [
    ...write({ 'a.jsonl': LINE, 'b.json': '{"name": 1}', 'c.jsonl': LINE.repeat(3) }),
    ...recorded,
  ];
  const told: { files: number; of: number; judged: number }[] = [];
  const progress = { tell: (one: (typeof told)[number]) => void told.push({ ...one }), clear: () => {} };
  const units = [unit(3, 4), unit(2), unit(0, 1)];
  const checked = await judgeInParallel(files, units, worker, { progress });
  expect(checked).toEqual(await judgeAll(GATE, files, MEANS.as, MEANS.beforehand, io()));
  expect(checked.map(({ file }) => file)).toEqual(files);
  expect(stopped).toBeGreaterThanOrEqual(2);
});

it('tells how far it is, and keeps no more of what is clean than one thread', async () => {
  const files = write({ 'a.jsonl': CLEAN.repeat(7000), 'b.jsonl': LINE + CLEAN.repeat(7000) });
  let last = { files: 0, of: 0, judged: 0 };
  const progress = {
    tell(one: typeof last) {
      last = { ...one };
    },
    clear: () => {},
  };
  const checked = await judgeInParallel(files, [unit(1), unit(0)], worker, { progress });
  expect(checked.map(({ subjects, clean = 0 }) => [subjects.length, clean])).toEqual([
    [7000, 0],
    [3001, 4000],
  ]);
  expect(last).toMatchObject({ of: 2 });
  expect(last.judged).toBeGreaterThan(13_000);
});

it('throws what is wrong with the first file of which something is', async () => {
  const files = write({ 'a.json': '{}', 'b.har': '{', 'c.jsonl': '{"method":' });
  const failing = judgeInParallel(files, [unit(2), unit(1), unit(0)], worker, {});
  await expect(failing).rejects.toThrow(PatchgateError);
  await expect(failing).rejects.toMatchObject({
    code: 'bad-input',
    message: 'b.har:1:2: the file is cut off',
    hint: expect.stringContaining('HTTP archive'),
  });
  expect(stopped).toBeGreaterThanOrEqual(2);
});

it('throws why no gate was made', async () => {
  const files = write({ 'a.json': '{}', 'b.json': '{}' });
  const broken = () => worker(() => Promise.reject(new PatchgateError('bad-contract', 'no contract')));
  await expect(judgeInParallel(files, [unit(0), unit(1)], broken, {})).rejects.toMatchObject({
    code: 'bad-contract',
  });
});

it.each([
  ['error', 'out of memory'],
  ['exit', 'a thread of the check was ended'],
])('throws what ended a thread: %s', async (event, message) => {
  const lost = (): JudgeWorker => {
    const listeners: Record<string, (value: never) => void> = {};
    return {
      on: (one: string, listener: (value: never) => void) => Object.assign(listeners, { [one]: listener }),
      postMessage: () => listeners[event]?.(new Error('out of memory') as never),
      terminate: () => stopped++,
    };
  };
  await expect(judgeInParallel(['a', 'b'], [unit(0), unit(1)], lost, {})).rejects.toThrow(message);
});
