/** Gates that a test suite starts in its own process: many at a time, and one after the other. */
import { existsSync, readdirSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { fake, proxy, replay, type TestGate } from '../../src/testing/index.ts';
import { exchange, PROJECT_PATH } from '../support/exchanges.ts';
import { writeRecording } from '../support/recorded-folder.ts';
import { startTarget } from '../support/target.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const PROJECT = {
  name: 'Checkout',
  languages: ['GO'],
  environments: [{ id: 1, name: 'A', isEnabled: true }],
};

/** One PATCH that was answered 1, 2, 3, 4, 5. */
function recorded() {
  const recordings = temporaryFolder();
  const answers = [1, 2, 3, 4, 5];
  writeRecording(
    join(recordings, 'demo'),
    answers.map((answer) => exchange({ body: { json: PROJECT }, answer: { json: answer } })),
  );
  return { recordings, recording: 'demo' };
}

/** Sends a PATCH on a connection that nobody keeps. */
function patch(base: string, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request(
      base + PROJECT_PATH,
      {
        method: 'PATCH',
        agent: new Agent({ keepAlive: false }),
        headers: { 'content-type': 'application/json', ...headers },
      },
      (response) => text(response).then(resolve, reject),
    );
    sent.on('error', reject).end(JSON.stringify(PROJECT));
  });
}

describe('twenty tests at a time on one recording', () => {
  const FILES = Array.from({ length: 20 }, (_, index) => `file ${index}`);

  const answersOf = async (ask: () => Promise<string>) => {
    const answers: string[] = [];
    for (let i = 0; i < 5; i++) answers.push(await ask());
    return answers.join();
  };

  it('see nothing of one another, each with a session of one gate', async () => {
    await using gate = await replay({ ...recorded(), strictSequence: true });
    const all = await Promise.all(
      FILES.map((name, index) => {
        const session = gate.session(name);
        return answersOf(() => (index % 2 ? patch(session.url) : patch(gate.url, session.headers)));
      }),
    );
    expect(all).toEqual(FILES.map(() => '1,2,3,4,5'));
    for (const name of FILES) {
      const session = gate.session(name);
      expect(session.exchanges().map(({ session }) => session)).toEqual(Array(5).fill(name));
      session.assertNoMisses();
    }
    await gate.assertAllServed();
  });

  it('see nothing of one another, each with a gate of its own', async () => {
    const options = { ...recorded(), strictSequence: true };
    const all = await Promise.all(
      FILES.map(async () => {
        await using gate = await replay(options);
        const answers = await answersOf(() => patch(gate.url));
        await gate.assertAllServed();
        expect(gate.exchanges()).toHaveLength(5);
        return answers;
      }),
    );
    expect(all).toEqual(FILES.map(() => '1,2,3,4,5'));
  });
});

describe('gates that come and go', () => {
  /** What the process holds. */
  const held = () => ({
    resources: process.getActiveResourcesInfo().filter((name) => !/^(?:FSReq|Immediate|Close)/.test(name))
      .length,
    files: existsSync('/proc/self/fd') ? readdirSync('/proc/self/fd').length : 0,
    listeners: process.eventNames().map((name) => `${String(name)} ${process.listenerCount(name)}`),
  });

  /** Runs this, which must leave no more than there was; the target's ends of connections take a moment to close. */
  const leavesNothing = async (run: () => Promise<void>) => {
    for (let turn = 0; turn < 200; turn++) await setImmediate();
    const before = held();
    await run();
    let after = held();
    const latest = performance.now() + 30_000;
    while ((after.resources > before.resources || after.files > before.files) && performance.now() < latest) {
      await setImmediate();
      after = held();
    }
    expect(after.listeners).toEqual(before.listeners);
    expect(after.resources).toBeLessThanOrEqual(before.resources);
    expect(after.files).toBeLessThanOrEqual(before.files);
  };

  it.each<[string, (target: string) => Promise<TestGate>]>([
    ['replay', () => replay(recorded())],
    ['fake', () => fake()],
    ['proxy', (target) => proxy({ target })],
    ['replay that records', (target) => replay({ ...recorded(), record: 'all', target })],
  ])('leave no handle, timer, listener or file: %s', async (_, start) => {
    const target = await startTarget();
    const round = async (isAsked: boolean) => {
      const gate = await start(target.url);
      if (isAsked) await patch(gate.session('a').url);
      gate.session('a').reset();
      await gate.close();
    };
    await round(true);
    await leavesNothing(async () => {
      for (let i = 0; i < 9; i++) await round(i % 3 === 0);
    });
  });

  it('leave nothing where the start fails', async () => {
    const { url } = await startTarget();
    const options = { ...recorded(), port: Number(new URL(url).port) };
    const failing = () => expect(replay(options)).rejects.toThrow(/in use|already/);
    await failing();
    await leavesNothing(async () => {
      for (let i = 0; i < 3; i++) await failing();
    });
    const recording = { ...options, record: 'all' as const, target: url };
    await expect(replay(recording)).rejects.toThrow(/in use|already/);
    expect(existsSync(join(options.recordings, 'demo', '.patchgate', 'lock'))).toBe(false);
  });
});
