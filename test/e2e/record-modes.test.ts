/** What each mode keeps, and what none of them ever does. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { answersTo, exchangeFilesIn } from '../support/answers.ts';
import { startBinary } from '../support/binary.ts';
import { type Settings, startGate } from '../support/in-process.ts';
import { sendRaw } from '../support/raw.ts';
import { startTarget } from '../support/target.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

describe('record mode', () => {
  /** A proxy of the target. */
  type Start = (target: string) => Promise<{ port: number; stop(): Promise<unknown>; said(): string }>;
  const asProgram =
    (cwd: string, args: string[], env: Record<string, string> = {}): Start =>
    async (target) => {
      const { port, stop, stderr } = await startBinary(['proxy', target, ...args], { cwd, env });
      return { port, stop: () => stop(), said: stderr };
    };
  const here =
    (cwd: string, settings: Settings, env: Record<string, string> = {}): Start =>
    async (target) => {
      const all = { target, recordings: join(cwd, 'recordings'), ...settings };
      const { port, gate, notices } = await startGate(all, 'proxy', env);
      return { port, stop: () => gate.close(), said: () => notices.join('\n') };
    };

  /** Asks a proxy for paths, with a target that counts; tells the answers. */
  async function run(cwd: string, start: Start, paths: string[]) {
    const target = await startTarget((req, res) => res.end(`live ${req.url}`));
    const gate = await start(target.url);
    const answers = await answersTo(
      gate,
      paths.map((path) => ({ path })),
    );
    await gate.stop();
    await target.close();
    return {
      statuses: answers.map(({ status }) => status),
      asked: target.received.map(({ url }) => url),
      files: exchangeFilesIn(join(cwd, 'recordings')).size,
      said: gate.said(),
    };
  }

  it('says what is recorded and what is replayed, of one recording in turn', async () => {
    const cwd = temporaryFolder();
    // Once records a recording that is not there, then replays it.
    const first = await run(cwd, here(cwd, { record: 'once' }), ['/a', '/b']);
    expect(first).toMatchObject({ statuses: [200, 200], asked: ['/a', '/b'], files: 2 });
    const second = await run(cwd, here(cwd, { record: 'once' }), ['/a', '/c']);
    expect(second).toMatchObject({ statuses: [200, 501], asked: [], files: 2 });
    // None replays only.
    const none = await run(cwd, here(cwd, { record: 'none' }), ['/b', '/new']);
    expect(none).toMatchObject({ statuses: [200, 501], asked: [], files: 2 });
    // New_episodes replays what is known and records the rest.
    const episodes = await run(cwd, here(cwd, { record: 'new_episodes' }), ['/a', '/c', '/c']);
    expect(episodes).toMatchObject({ statuses: [200, 200, 200], asked: ['/c'], files: 3 });
    // All forwards all, and is what the bare option means.
    const all = await run(cwd, here(cwd, { record: 'all' }), ['/a', '/d']);
    expect(all).toMatchObject({ statuses: [200, 200], asked: ['/a', '/d'], files: 4 });
    const bare = await run(cwd, asProgram(cwd, ['--record', '--recording', 'default']), ['/a', '/e']);
    expect(bare).toMatchObject({ statuses: [200, 200], asked: ['/a', '/e'], files: 5 });
  });

  it('is not taken from the target that stands behind the bare option', async () => {
    const target = await startTarget();
    const gate = await startBinary(['proxy', '--record', target.url]);
    expect((await sendRaw(gate.port, { path: '/x' })).status).toBe(200);
  });

  it.each(['once', 'new_episodes'] as const)('%s replays only where CI is set, and says so', async (mode) => {
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, 'recordings/default'), { recursive: true });
    const result = await run(cwd, here(cwd, { record: mode }, { CI: 'true' }), ['/a']);
    expect(result).toMatchObject({ statuses: [501], asked: [], files: 0 });
    expect(result.said).toContain('replays only');
  });
});

it('a proxy says at its end how much it recorded, and where', async () => {
  const target = await startTarget();
  const gate = await startBinary(['proxy', target.url, '--record', '--recording', 'checkout']);
  for (const path of ['/a', '/b']) await sendRaw(gate.port, { path });
  const { code, stderr } = await gate.stop();
  expect(code).toBe(0);
  expect(stderr).toMatch(/\npatchgate: recorded 2 exchanges in recordings.checkout\n$/);
});
