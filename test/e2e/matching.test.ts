/** Which requests are the same, by option, and what is said of one that none matches: through sockets and files. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Miss } from '../../src/recordings/explain.ts';
import type { Config } from '../../src/settings/config.ts';
import { filesIn } from '../support/answers.ts';
import { type InProcess, startGate } from '../support/in-process.ts';
import { startTarget } from '../support/target.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

interface Sent {
  path: string;
  method?: string;
  headers?: Record<string, string>;
  body?: unknown;
}

function send(gate: InProcess, { path, method = 'PUT', headers, body }: Sent): Promise<Response> {
  return fetch(gate.url + path, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
}

/** Records these requests one after the other, each answered with its number. @returns the folder */
async function record(settings: Partial<Config>, sent: readonly Sent[]): Promise<string> {
  const recordings = join(temporaryFolder(), 'recordings');
  let count = 0;
  const target = await startTarget((_req, res) => res.end(String(++count)));
  const gate = await startGate({ target: target.url, record: 'all', recordings, ...settings });
  for (const one of sent) await (await send(gate, one)).text();
  await gate.gate.close();
  return recordings;
}

async function answersTo(recordings: string, settings: Partial<Config>, sent: readonly Sent[]) {
  const gate = await startGate({ recordings, ...settings }, 'replay');
  const answers: (string | number)[] = [];
  for (const one of sent) {
    const response = await send(gate, one);
    const text = await response.text();
    answers.push(response.status === 200 ? text : response.status);
  }
  return answers;
}

describe('a base path', () => {
  const REST = '/accounts/current/projects/42';

  it.each([
    [`/api/v2${REST}`, REST],
    [REST, `/api/v2${REST}`],
  ])('need not be sent as it was recorded: recorded %s, sent %s', async (recorded, path) => {
    const recordings = await record({}, [{ path: `${recorded}?a=1` }, { path: `${recorded}?a=1` }]);
    const twice = { path: `${path}?a=1` };
    expect(await answersTo(recordings, {}, [twice, twice, twice, { path }])).toEqual(['1', '2', '2', 501]);
  });
});

describe('an option', () => {
  it('names headers that tell requests apart; they are kept, without secrets', async () => {
    const settings = { matchHeaders: ['Accept-Language', 'Authorization'] };
    const headers = (language: string, secret: string) => ({
      'accept-language': language,
      authorization: `Bearer ${secret}`,
      'x-other': secret,
    });
    const sent = [
      { path: '/a', headers: headers('en', 's3cret-1') },
      { path: '/a', headers: headers('de', 's3cret-2') },
    ];
    const recordings = await record(settings, sent);
    const texts = [...filesIn(recordings).values()].join('\n');
    expect(texts).toContain('"accept-language": "de"');
    expect(texts).not.toContain('s3cret');
    const answers = await answersTo(recordings, settings, [
      { path: '/a', headers: headers('de', 's3cret-3') },
      { path: '/a', headers: headers('en', 's3cret-4') },
      { path: '/a', headers: headers('fr', 's3cret-1') },
      { path: '/a', headers: { 'accept-language': 'en' } },
    ]);
    expect(answers).toEqual(['2', '1', 501, 501]);
  });

  it('takes places and parameters out of the comparison', async () => {
    const settings = { ignorePointers: ['/list/*/id'], ignoreQuery: ['t'] };
    const body = (n: number, id: number) => ({ list: [{ id, n }] });
    const recordings = await record(settings, [
      { path: '/a?t=1&q=1', body: body(1, 1) },
      { path: '/a?t=2&q=1', body: body(2, 2) },
    ]);
    const answers = await answersTo(recordings, settings, [
      { path: '/a?q=1&t=9', body: body(2, 7) },
      { path: '/a?q=1', body: body(1, 7) },
      { path: '/a?q=2', body: body(1, 7) },
      { path: '/a?q=1', body: body(3, 7) },
    ]);
    expect(answers).toEqual(['2', '1', 501, 501]);
  });
});

describe('a miss', () => {
  const REST = '/accounts/current/projects/42';

  it('is explained in the same words in the answer and the control API', async () => {
    const recordings = await record({}, [
      { path: `/api/v2${REST}`, body: { name: 'Checkout', token: 's3cret-1' } },
    ]);
    const gate = await startGate({ recordings }, 'replay');
    const response = await send(gate, {
      path: `/api/v2${REST}`,
      body: { name: 'Basket', token: 's3cret-2' },
    });
    const problem = (await response.json()) as Miss & { detail: string };
    expect(problem).toMatchObject({
      status: 501,
      reason: 'differs',
      nearest: { differences: [{ place: '/name', recorded: '"Checkout"', sent: '"Basket"' }] },
    });
    expect(problem.detail).toMatch(/in the nearest \/name: recorded "Checkout", sent "Basket"$/);
    expect(problem.hint).toContain("--ignore-pointers '/name'");
    const { exchanges } = (await (await fetch(`${gate.url}/__patchgate/exchanges`)).json()) as {
      exchanges: { failure?: string }[];
    };
    expect(exchanges.at(-1)?.failure).toBe(problem.detail);
    expect(JSON.stringify([problem, exchanges])).not.toContain('s3cret');
  });
});
