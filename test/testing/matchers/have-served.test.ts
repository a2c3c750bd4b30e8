import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AS_SENT } from '../../../src/server/exchange-list.ts';
import type { ShownExchange } from '../../../src/server/show-exchange.ts';
import { fake, type TestGate } from '../../../src/testing/index.ts';
import '../../support/matchers.ts';
import { project } from '../../support/bodies.ts';
import { failing } from '../../support/failing.ts';

const PATH = '/api/v2/accounts/current/projects/42';
const withToken = { ...project(), name: 'Other', token: 's3cret' };

/** What `exchanges()` gives, by hand. */
function exchange(id: number, url: string, more: Partial<ShownExchange> = {}): ShownExchange {
  return {
    id,
    startedAt: '2026-11-20T12:00:00.000Z',
    durationMs: 1,
    request: { method: 'GET', url, headers: {} },
    response: { status: 200, headers: {} },
    answeredBy: 'recording',
    ...more,
  };
}
const gateWith = (...exchanges: ShownExchange[]) => ({ exchanges: () => exchanges });

describe('toHaveServed', () => {
  let gate: TestGate;

  beforeAll(async () => {
    gate = await fake();
    const patch = async (body: object, query = '', session = '') => {
      const headers = {
        'content-type': 'application/json',
        ...(session && {
          'patchgate-session': session,
          authorization: 'Bearer t0p-secret',
          'x-team': 'a, b',
        }),
      };
      await fetch(`${gate.url}${PATH}${query}`, { method: 'PATCH', headers, body: JSON.stringify(body) });
    };
    await patch(project());
    await patch(withToken, '?tag=a&limit=2&tag=b', 'mine');
    await patch({ name: 'Third' });
  });
  afterAll(() => gate.close());

  it('knows an exchange by whatever is given of it', () => {
    expect(gate).toHaveServed({ method: 'PATCH', path: PATH, body: project(), status: 200, times: 1 });
    expect(gate).toHaveServed({ method: 'patch', path: /projects\/\d+$/g, times: 2 });
    expect(gate).toHaveServed({ path: expect.stringContaining('/42'), session: 'mine', times: 1 });
    expect(gate).toHaveServed({ query: '?limit=2&tag=a&tag=b' });
    expect(gate).toHaveServed({ query: { tag: ['a', 'b'], limit: 2 } });
    expect(gate).toHaveServed({ query: expect.objectContaining({ limit: '2' }) });
    expect(gate).toHaveServed({ query: new URLSearchParams('tag=a&tag=b&limit=2') });
    expect(gate).toHaveServed({ query: '', session: '', times: 1 });
    expect(gate).toHaveServed({ body: expect.objectContaining({ environments: expect.any(Array) }) });
    expect(gate).toHaveServed({ body: expect.toPassGate('updateProject', { failOn: 'warn' }), times: 1 });
    expect(gate).toHaveServed({ body: JSON.stringify(project()) });
    expect(gate).not.toHaveServed({ method: 'GET' });
    expect(gate).not.toHaveServed({ query: { limit: 3 } });
    expect(gate).toHaveServed({ status: 404, times: 0 });
  });

  it('counts only what passed and was answered', () => {
    expect(gate).not.toHaveServed({ body: { name: 'Third' } });
  });

  it('counts what a fault answered, since that was asked for', async () => {
    await using failing429 = await fake({ fault: ['GET status=429 count=1', 'status=501 count=1'] });
    for (const _ of [1, 2, 3]) await fetch(failing429.url + PATH);
    expect(failing429).toHaveServed({ path: PATH, status: 429, times: 1 });
    expect(failing429).toHaveServed({ path: PATH, status: 501, times: 1 });
    expect(failing429).toHaveServed({ path: PATH, times: 3 });
    expect(failing(() => expect(failing429).toHaveServed({ status: 500 }))).toContain(
      `Seen: 3 exchanges\n  #1 GET ${PATH} -> 429 (gate)\n    the fault GET status=429 count=1\n  #2`,
    );
  });

  it('compares secrets as they were sent, and shows none', () => {
    expect(gate).toHaveServed({ body: withToken, times: 1 });
    expect(gate).toHaveServed({ body: { ...withToken, token: '[redacted]' } });
    expect(gate.session('mine')).toHaveServed({ body: { ...withToken, token: expect.any(String) } });
    expect(gate).toHaveServed({ headers: { Authorization: 'Bearer t0p-secret', 'x-other': undefined } });
    expect(gate).toHaveServed({ headers: { authorization: /^Bearer /, 'x-team': 'a, b' }, times: 1 });
    const { token: _, ...without } = withToken;
    expect(gate).not.toHaveServed({ body: without });
    expect(gate).not.toHaveServed({ query: { key: 'other' } });
    expect(gate).not.toHaveServed({ headers: { authorization: undefined }, session: 'mine' });
    const wanted = { body: { ...withToken, token: 'other' }, headers: { authorization: 'Bearer no' } };
    const said = failing(() => expect(gate).toHaveServed(wanted));
    expect(said).toContain(
      'headers /authorization: another value than expected, where neither is shown as it is: [redacted]\n' +
        '  body /token: another value than expected, where neither is shown as it is: [redacted]\n',
    );
    expect(said).not.toMatch(/s3cret|t0p-secret|other"|Bearer no/);
    expect(gate.exchanges().map(({ request }) => request.headers.authorization)).toEqual([
      undefined,
      '[redacted]',
      undefined,
    ]);
  });

  it('shows nothing of where what is redacted stands', () => {
    const plain = exchange(1, '/a', {
      request: {
        method: 'PATCH',
        url: '/a',
        headers: {},
        body: { json: { a: [null, { b: 'x1' }] }, size: 9 },
      },
    });
    const hidden = { ...plain, request: { ...plain.request, body: { json: { a: '[redacted]' }, size: 9 } } };
    const comparable = { ...gateWith(hidden), [AS_SENT]: () => ({ exchanges: [plain], areCut: false }) };
    expect(comparable).toHaveServed({ body: { a: [null, { b: 'x1' }] } });
    expect(failing(() => expect(comparable).toHaveServed({ body: { a: [1, { b: 'y' }] } }))).toContain(
      'body /a: expected [1,{"b":"y"}], was "[redacted]"\n\n',
    );
    expect(comparable).toHaveServed({ body: { a: [null, { b: /^x\d$/ }] } });
  });

  it('shows no names that are secrets', async () => {
    await using other = await fake();
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    const headers = { 'content-type': 'application/json', cookie: `sid=${secret}` };
    const body = JSON.stringify({ by: { [secret]: 1 }, password: { [secret]: 2 } });
    await fetch(`${other.url}/x?${secret}=1`, { method: 'POST', headers, body });
    await other.setFaults('status=200');
    await fetch(`${other.url}/x?${secret}=1`, { method: 'POST', headers, body });
    for (const wanted of [
      { body: { by: {}, password: {} }, query: { a: 1 } },
      { headers: { cookie: `sid=${secret}`, accept: 'none' } },
      { headers: { cookie: new RegExp(secret), accept: 'none' } },
    ]) {
      const said = failing(() => expect(other).toHaveServed(wanted));
      expect(said).toContain('POST /x');
      expect(said).not.toContain(secret);
    }
    expect(other).toHaveServed({ headers: { cookie: `sid=${secret}` } });
    const headersOf = { authorization: secret };
    const misuse = failing(() => expect(other).toHaveServed({ headers: new Headers(headersOf) as never }));
    expect(misuse).toContain('the headers are no object of names and values');
  });

  it('tells apart what JSON does not', () => {
    const of = (json: unknown, headers = {}) =>
      gateWith(
        exchange(1, '/a', {
          request: { method: 'PATCH', url: '/a', headers, body: { json, size: 9 } as never },
        }),
      );
    for (const body of [new Map(), new Set(), Promise.resolve({}), new Error('no')])
      expect(of({})).not.toHaveServed({ body });
    expect(of([1])).not.toHaveServed({ body: [1, undefined] });
    expect(of({ a: { b: 1 } })).toHaveServed({ body: { a: { b: 1, c: undefined } } });
    const scalar = exchange(2, '/a', {
      request: { method: 'PATCH', url: '/a', headers: {}, body: { text: 'null', size: 4 } },
    });
    expect(gateWith(scalar)).toHaveServed({ body: null });
    expect(gateWith(scalar)).not.toHaveServed({ body: 5 });
    const twice = of({}, { 'x-a': ['1', '2'], cookie: ['a=1', 'b=2'], 'x-n': '1' });
    expect(twice).toHaveServed({ headers: { 'X-A': '1, 2', cookie: 'a=1; b=2', 'x-n': 1 } });
    expect(twice).toHaveServed({ headers: { 'x-a': ['1', '2'] } });
    expect(twice).toHaveServed({ headers: expect.objectContaining({ 'x-n': '1' }) });
    expect(twice).not.toHaveServed({ headers: expect.objectContaining({ 'x-n': '2' }) });
  });

  it('takes what was redacted for any value where nobody knows it any more, but not for none', () => {
    const body = { json: { ...withToken, token: '[redacted]' }, size: 9 };
    const redacted = gateWith(
      exchange(1, '/a', { request: { method: 'PATCH', url: '/a', headers: {}, body } }),
    );
    expect(redacted).toHaveServed({ body: withToken, times: 1 });
    expect(redacted).toHaveServed({ body: { ...withToken, token: expect.any(Number) } });
    const { token: _, ...without } = withToken;
    expect(redacted).not.toHaveServed({ body: without });
  });

  it('shows the nearest exchange, and what went by', () => {
    const wanted = { path: PATH, body: { ...project(), languages: ['GO'] } };
    expect(failing(() => expect(gate).toHaveServed(wanted))).toBe(`\
expect(gate).toHaveServed(exchange)

Expected to be served at least once:
  path: "/api/v2/accounts/current/projects/42"
  body: {"name":"Checkout","languages":["GO"],"environments":[{"id":1,"name":"Production…
It was never served.

Nearest: #1 PATCH /api/v2/accounts/current/projects/42 -> 200 (fake)
  body /languages/0: expected "GO", was "NODEJS"
  body /languages/1: expected nothing, was "GO"

Seen: 3 exchanges
  #1 PATCH /api/v2/accounts/current/projects/42 -> 200 (fake)
  #2 PATCH /api/v2/accounts/current/projects/42?tag=a&limit=2&tag=b -> 200 (fake), session mine
  #3 PATCH /api/v2/accounts/current/projects/42 -> 422 (gate)
    schema.required  /languages is missing
    schema.required  /environments is missing`);
  });

  it('looks into what only has to contain something, and shows no secrets', () => {
    const body = expect.objectContaining({ name: 'Fourth', apiKey: 'team-key-1' });
    const said = failing(() => expect(gate).toHaveServed({ body, session: 'mine' }));
    expect(said).toContain('body /name: expected "Fourth", was "Other"');
    expect(said).toContain('body /apiKey: expected [redacted], was nothing');
    expect(said).not.toContain('team-key-1');
  });

  it('says why what was sent as expected was not served', () => {
    for (const wanted of [{ body: { name: 'Third' } }, { status: 422 }])
      expect(failing(() => expect(gate).toHaveServed(wanted))).toContain(
        `Nearest: #3 PATCH ${PATH} -> 422 (gate)\n    schema.required  /languages is missing\n` +
          '    schema.required  /environments is missing\n  it is as expected, but was not served',
      );
    const missed = { response: { status: 501, headers: {} }, failure: 'nothing', fault: 'latency=1ms' };
    const others = gateWith(
      exchange(1, '/a', { answeredBy: 'gate', ...missed }),
      exchange(2, '/b', { answeredBy: 'gate', response: undefined, failure: 'the client went away' }),
    );
    for (const [wanted, why] of [
      [{ status: 501 }, 'nothing'],
      [{ path: '/b' }, 'the client went away'],
    ] as const)
      expect(failing(() => expect(others).toHaveServed(wanted))).toContain(
        `    ${why}\n  it is as expected, but was not served`,
      );
  });

  it('says how often it was, where that is wrong', () => {
    expect(failing(() => expect(gate).toHaveServed({ path: PATH, times: 3 }))).toContain(
      `Expected to be served 3 times:\n  path: "${PATH}"\nIt was served 2 times: #1, #2`,
    );
    expect(failing(() => expect(gate).not.toHaveServed({ session: 'mine' }))).toContain(
      'Expected never to be served:\n  session: "mine"\nIt was served once: #2',
    );
    expect(failing(() => expect(gate).not.toHaveServed({ times: 2 }))).toContain(
      'Expected not to be served 2 times:\n  any exchange',
    );
  });

  it('says where only the base path is missing', () => {
    expect(failing(() => expect(gate).toHaveServed({ path: '/accounts/current/projects/42' }))).toContain(
      `path: expected "/accounts/current/projects/42", was "${PATH}" (give the path as it is sent, the base path included)`,
    );
  });

  it('lists what was missed and what failed', () => {
    const missed = gateWith(
      exchange(1, '/a', {
        response: { status: 501, headers: {} },
        answeredBy: 'gate',
        failure: 'nothing \u001b[2J',
      }),
      exchange(2, '/b', { response: undefined, answeredBy: 'gate', failure: 'the client went away' }),
      exchange(3, '/c', { response: undefined, answeredBy: 'gate', fault: 'reset', failure: 'it was reset' }),
    );
    const said = failing(() => expect(missed).toHaveServed({ path: '/a' }));
    expect(said).toContain('Seen: 3 exchanges\n  #1 GET /a -> 501 (gate)\n    nothing \ufffd');
    expect(said).toContain('\n  #2 GET /b -> no response\n    the client went away');
    expect(said).toContain('#3 GET /c -> no response\n    the fault reset\n    it was reset');
    expect(failing(() => expect(gateWith()).toHaveServed({}))).toContain(
      "Nothing went by.\n  hint: the client's base URL must begin with the url of this gate or session",
    );
  });

  it('lists the last twenty of many', () => {
    const many = gateWith(...Array.from({ length: 30 }, (_, i) => exchange(i + 1, '/a')));
    const said = failing(() => expect(many).toHaveServed({ path: '/b' }));
    expect(said).toContain('Seen: 30 exchanges\n  10 earlier ones, and\n  #11 GET /a');
  });

  it('cannot tell, with and without not, of a body that was cut', () => {
    const body = { text: '{"name":', size: 70_000, cut: true as const };
    const cut = gateWith(exchange(1, '/a', { request: { method: 'PATCH', url: '/a', headers: {}, body } }));
    for (const assertion of [expect(cut), expect(cut).not]) {
      const said = failing(() => assertion.toHaveServed({ path: '/a', body: { name: 'x' } }));
      expect(said).toContain('Cannot tell for #1: the body is longer than the 64 KiB that a gate keeps');
    }
    expect(cut).toHaveServed({ path: '/a' });
    expect(cut).not.toHaveServed({ path: '/b', body: { name: 'x' } });
  });

  it('shows the nearest of those that can be compared', () => {
    const sent = (id: number, body: ShownExchange['request']['body']) =>
      exchange(id, '/a', { request: { method: 'PATCH', url: '/a', headers: {}, body } });
    const kept = gateWith(
      sent(1, { text: '{"name":', size: 70_000, cut: true }),
      sent(2, { text: '{"name":', size: 70_000, cut: true }),
      sent(3, { json: { name: 'x' }, size: 12 }),
    );
    const said = failing(() => expect(kept).toHaveServed({ body: { name: 'y' } }));
    expect(said).toContain('Cannot tell for #1, #2: the body is longer');
    expect(said).toContain('Nearest: #3 PATCH /a -> 200 (recording)\n  body /name: expected "y", was "x"');
  });

  it('takes a value for what its JSON is, and shows one that has none', () => {
    const at = new Date(0);
    const body = { json: { at: at.toISOString() }, size: 33 };
    const kept = gateWith(exchange(1, '/a', { request: { method: 'PATCH', url: '/a', headers: {}, body } }));
    expect(kept).toHaveServed({ body: { at } });
    expect(kept).not.toHaveServed({ body: { at: new Date(1) } });
    const itself: Record<string, unknown> = {};
    itself.at = itself;
    expect(failing(() => expect(kept).toHaveServed({ body: itself }))).toContain('expected Object');
  });

  it('cannot tell what never was where the list is full', { tags: 'slow' }, () => {
    const full = gateWith(...Array.from({ length: 1000 }, (_, i) => exchange(i + 1, '/a')));
    expect(full).toHaveServed({ path: '/a' });
    for (const assertion of [expect(full), expect(full).not])
      expect(failing(() => assertion.toHaveServed({ path: '/b' }))).toContain(
        'keeps the last 1,000 exchanges',
      );
  });

  it('cannot tell what never was in a session of which something is forgotten', {
    tags: 'slow',
  }, async () => {
    await using other = await fake();
    const early = other.session('early');
    await fetch(early.url + PATH);
    for (let i = 0; i < 20; i++)
      await Promise.all(Array.from({ length: 50 }, async () => (await fetch(other.url + PATH)).text()));
    expect(failing(() => expect(early).not.toHaveServed({ method: 'GET' }))).toContain('Cannot tell');
    expect(other.session('late')).not.toHaveServed({ method: 'GET' });
  });

  it('compares what is no JSON: text, bytes, nothing', () => {
    const request = { method: 'POST', url: '/a', headers: {} };
    const posted = gateWith(
      exchange(1, '/a', { request: { ...request, body: { text: 'a=1', size: 3 } } }),
      exchange(2, '/a', { request: { ...request, body: { base64: '/wA=', size: 2 } } }),
      exchange(3, '/a', { request }),
    );
    expect(posted).toHaveServed({ body: 'a=1', times: 1 });
    expect(posted).toHaveServed({ body: /^a=/, times: 1 });
    expect(posted).toHaveServed({ body: Buffer.from([255, 0]), times: 1 });
    expect(posted).toHaveServed({ body: '', times: 1 });
  });

  it('is for gates and their sessions alone', () => {
    for (const value of [undefined, 'http://127.0.0.1:1', {}, { exchanges: 1 }, { exchanges: () => [{}] }])
      for (const assertion of [expect(value), expect(value).not])
        expect(failing(() => assertion.toHaveServed({}))).toContain('the received value is no gate');
    expect(gate.session('mine')).toHaveServed({ times: 1 });
    expect(failing(() => expect(Promise.resolve(gate)).toHaveServed({}))).toContain(
      'the received value is a promise\n  hint: await it: const gate = await replay()',
    );
  });

  it.each([
    [{ bodi: {} }, 'the unknown member "bodi"\n  did you mean body?'],
    [{ body: undefined }, 'body, which is undefined\n  leave it out where it may be anything'],
    [{ path: 'accounts' }, 'does not begin with a slash'],
    [{ path: '/a?b=1' }, 'has a query\n  give that by itself'],
    [{ times: 1.5 }, 'times cannot be 1.5'],
    [null, 'the exchange that is expected is no object'],
  ])('is used wrongly: %j', (wanted, message) => {
    for (const assertion of [expect(gate), expect(gate).not])
      expect(failing(() => assertion.toHaveServed(wanted as never))).toContain(message);
  });
});
