/** Two secrets never become one: each request gets the answer that was recorded for it. */
import { expect, it } from 'vitest';
import { startBinary } from '../support/binary.ts';
import { startTarget } from '../support/target.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const KEYS = ['3f8a91c2d4e5b6a7980f1e2d', 'b7c6d5e4f3a2918070615243'];
const SHARES = ['q7Rw2Zt9Lp4Xc8Vb1Nm6Ks3Hd5Fg0Jy2Tz9Qa4', 'h4Ks8Wd2Xz6Bn1Vm9Pq3Lt7Rc5Gj0Fy8Ub2Ei6'];
const PATHS = [
  ...KEYS.map((key) => `/datafiles/v1/${key}/all`),
  ...SHARES.map((share) => `/share/${share}`),
  ...SHARES.map((share) => `/lookup?key=${share}`),
  ...SHARES.map((share) => `/search?q=ghp_${share.slice(0, 36)}`),
];

it('answers with what was recorded for the key of the very environment', { timeout: 60_000 }, async () => {
  const cwd = temporaryFolder();
  const target = await startTarget((req, res) => {
    res.setHeader('Content-Type', 'application/json');
    const environments = KEYS.map((token, id) => ({ id, token }));
    res.end(
      JSON.stringify(req.url === '/environments' ? environments : { at: PATHS.indexOf(req.url ?? '') }),
    );
  });
  const gate = await startBinary(['proxy', target.url, '--record', '--no-guard'], { cwd });
  for (const path of ['/environments', ...PATHS]) expect((await fetch(gate.url + path)).status).toBe(200);
  await gate.stop();
  const replay = await startBinary(['replay'], { cwd });
  const order = [...PATHS.keys()].reverse();
  for (const at of order) {
    const response = await fetch(`${replay.url}${PATHS[at]}`);
    expect([at, response.status, await response.json()]).toEqual([at, 200, { at }]);
  }
  const other = await fetch(`${replay.url}/share/${SHARES[0]?.replace('q7', 'z8')}`);
  expect(other.status).toBe(501);
});

it('redacts large bodies, and keeps every one', { timeout: 60_000 }, async () => {
  const cwd = temporaryFolder();
  const large = (at: number) =>
    JSON.stringify({ at, text: 'a b, '.repeat(200_000), token: `hush-${at}-4711` });
  const target = await startTarget((req, res) => {
    res.setHeader('Content-Type', 'application/json');
    res.end(large(Number(req.url?.slice(1))));
  });
  const gate = await startBinary(['proxy', target.url, '--record', '--no-guard'], { cwd });
  const numbers = [1, 2, 3, 4, 5];
  await Promise.all(numbers.map(async (at) => (await fetch(`${gate.url}/${at}`)).text()));
  await gate.stop();
  const replay = await startBinary(['replay'], { cwd });
  for (const at of numbers)
    expect(await (await fetch(`${replay.url}/${at}`)).text()).toBe(
      large(at).replace(/hush-\d-4711/, '[redacted]'),
    );
});
