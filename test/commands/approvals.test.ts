import { describe, expect, it, test } from 'vitest';
import { askGate, decidedText, jsonText, listOf, listText, urlOf } from '../../src/commands/approvals.ts';
import type { JsonValue } from '../../src/json/json.ts';
import type { Approval } from '../../src/model/approval.ts';
import type { Config } from '../../src/settings/config.ts';
import { makeCertificate } from '../support/certificates.ts';
import { laterRefusal, refusal } from '../support/errors.ts';
import { freePort, startTarget } from '../support/target.ts';

const NOW = Date.parse('2026-11-23T08:00:00Z');
const at = (seconds: number) => new Date(NOW + seconds * 1000).toISOString();

const approval = (members: Partial<Approval> = {}): Approval => ({
  id: 'k3f9x2ab',
  status: 'pending',
  requestedAt: at(-12),
  expiresAt: at(588),
  method: 'PATCH',
  url: '/api/v2/accounts/current/projects/42',
  effects: [{ kind: 'environment-deleted', id: 2, name: 'Staging' }],
  ...members,
});

const EVIL = '\u001b[2J\u202ex\n';

describe('the list', () => {
  const text = (approvals: Approval[], approvers = false) => listText({ approvals, approvers }, NOW, false);

  it('has a line for each that waits, with what it loses below it', () => {
    const second = approval({
      ...{ id: 'b', client: '10.0.0.7', requestedAt: at(-125), expiresAt: at(45) },
      effects: [],
    });
    expect(text([approval({ client: '127.0.0.1' }), second])).toBe(
      `id        left  asked    client     request
k3f9x2ab  9m    12s ago  127.0.0.1  PATCH /api/v2/accounts/current/projects/42
    - environment 2 "Staging" will be deleted permanently
b         45s   2m ago   10.0.0.7   PATCH /api/v2/accounts/current/projects/42
    it is not known what it deletes

2 decisions to make: patchgate approvals approve ID, or patchgate approvals decline ID
`,
    );
  });

  it('counts what is decided or over', () => {
    const used = approval({ status: 'used' });
    const rest = '1 decided or over: --format json lists all\n';
    expect(text([])).toBe('nothing waits for a decision\n');
    for (const status of ['approved', 'declined', 'used', 'expired'] as const)
      expect(text([approval({ status })])).toBe(`nothing waits for a decision\n${rest}`);
    expect(text([approval(), used])).toMatch(new RegExp(`\\n1 decision to make: .*\\n${rest}$`));
  });

  it('says where only approvers decide', () => {
    expect(text([approval()], true)).toMatch(
      /\nonly approvers decide, each with their own token in PATCHGATE_CONTROL_TOKEN\n$/,
    );
  });

  it('shows the first of many effects', () => {
    const effects = Array.from({ length: 14 }, (_, id) => ({
      ...{ kind: 'environment-deleted', id, name: '' },
    })) as unknown as Approval['effects'];
    const last = { kind: 'language-added', name: 'GO' } as const;
    const many = approval({ effects: [...effects, last], effectsOmitted: 2 });
    const short = /environment 9 will.*\n {4}and 4 more deletions\n {4}and 3 more changes\n/;
    expect(text([many, approval()])).toMatch(short);
    expect(decidedText(many, 'approve', NOW, false)).toMatch(short);
    expect(text([many])).toMatch(/environment 13 will.*\n.*GO will be added\n {4}and 2 more changes\n\n/);
  });

  it('steers no terminal', () => {
    const odd = approval({
      ...{ id: EVIL, url: EVIL, method: EVIL, client: EVIL },
      effects: [{ kind: 'environment-deleted', id: 1, name: EVIL }],
    });
    for (const shown of [
      text([odd]),
      jsonText(odd as unknown as JsonValue),
      decidedText(odd, 'approve', NOW, false),
    ])
      expect(shown.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(JSON.parse(jsonText(odd as unknown as JsonValue))).toEqual(odd);
  });

  it.each([{}, [], { approvals: {} }, { approvals: [{}] }, { approvals: [{ ...approval(), effects: 1 }] }])(
    'is no other thing: %j',
    (json) => {
      expect(refusal('bad-input', () => listOf(json as JsonValue))).toContain('no list of approvals');
    },
  );
});

test.each<[Approval, 'approve' | 'decline', string]>([
  [approval(), 'approve', 'its client can send the PATCH again with its token, for 9m\n'],
  [approval(), 'decline', ''],
])('a decision about %j: %s', (one, decision, next) => {
  expect(decidedText(one, decision, NOW, false)).toBe(
    `${decision}d k3f9x2ab: PATCH /api/v2/accounts/current/projects/42
    - environment 2 "Staging" will be deleted permanently
${next}`,
  );
});

describe('the URL of the gate', () => {
  const config = (members: Partial<Config> = {}) => ({ host: '127.0.0.1', port: 4010, ...members }) as Config;

  it.each<[string | undefined, Partial<Config>, string]>([
    [undefined, {}, 'http://127.0.0.1:4010'],
    [undefined, { host: '0.0.0.0', port: 4711 }, 'http://127.0.0.1:4711'],
    [undefined, { host: '::', port: 0, tlsCert: 'cert.pem' }, 'https://[::1]:4010'],
    ['https://gate.test/', {}, 'https://gate.test'],
    ['http://gate.test:4010/below/#token=x', {}, 'http://gate.test:4010/below'],
  ])('is of %j and %j: %s', (given, members, url) => {
    expect(urlOf(given, config(members))).toBe(url);
  });

  it.each(['4010', 'gate.test:4010', 'ftp://gate.test', ''])('is not %j', (given) => {
    expect(refusal('bad-usage', () => urlOf(given, config()))).toBe(
      `--gate: ${JSON.stringify(given)} is no URL of a gate (give it as the gate says it at its start: --gate http://127.0.0.1:4010)`,
    );
  });

  it.each(['http://a:hush@gate.test', 'http://:hush@gate.test', 'gate.test/#token=hush'])(
    'is not %j, of which nothing is quoted',
    (given) => {
      expect(refusal('bad-usage', () => urlOf(given, config()))).not.toContain('hush');
    },
  );
});

describe('asking', () => {
  /** A gate that gives one answer. */
  const startGate = (status: number, body: unknown, headers: Record<string, string> = {}) =>
    startTarget((_req, res) => {
      res.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
    });

  it('sends the token and the decision, and takes the time of the gate', async () => {
    const gate = await startGate(200, approval(), { Date: new Date(NOW).toUTCString() });
    const decision = { decision: 'approve', reason: undefined };
    expect(await askGate({ url: gate.url, token: 'mine' }, 'approvals/a', decision)).toEqual({
      json: approval(),
      now: NOW,
    });
    await askGate({ url: `${gate.url}/below`, token: undefined }, 'approvals');
    expect(
      gate.received.map(({ method, url, headers, body }) => [
        method,
        url,
        headers.authorization,
        String(body),
      ]),
    ).toEqual([
      ['POST', '/__patchgate/approvals/a', 'Bearer mine', '{"decision":"approve"}'],
      ['GET', '/below/__patchgate/approvals', undefined, ''],
    ]);
  });

  const SENT = '(patchgate sends the token in PATCHGATE_CONTROL_TOKEN)';
  const OWN = 'give the control token, or as an approver your own, in PATCHGATE_CONTROL_TOKEN';
  const NO_GATE = 'is no gate with approvals: it answers with the status';
  it.each<[string, number, unknown, string | undefined, object | undefined, string]>([
    ['no token', 401, { detail: 'x' }, undefined, undefined, `the gate at URL needs a token (${OWN})`],
    [
      'a wrong token',
      401,
      { detail: 'x' },
      't',
      undefined,
      `the gate at URL does not know the token (${OWN})`,
    ],
    ['who may not', 403, { detail: 'no', hint: 'so' }, 't', {}, `the gate at URL: no (so ${SENT})`],
    [
      'who may not read',
      403,
      { detail: 'no', hint: 'so' },
      't',
      undefined,
      `the gate at URL: no (so ${SENT})`,
    ],
    ['an unknown id', 404, { detail: 'no such' }, 't', {}, 'the gate at URL: no such'],
    ['a decided one', 409, { detail: 'done', hint: 'so' }, 't', {}, 'the gate at URL: done (so)'],
    [
      'another server',
      404,
      'nothing',
      't',
      {},
      `URL ${NO_GATE} 404 (say where the gate listens: --gate URL)`,
    ],
    ['a page', 200, '<p>', 't', {}, `URL ${NO_GATE} 200 (say where the gate listens: --gate URL)`],
    ['a redirect', 302, '', 't', {}, `URL ${NO_GATE} 302 (say where the gate listens: --gate URL)`],
  ])('is refused: %s', async (_, status, body, token, decision, told) => {
    const gate = await startGate(status, body, { Location: '/elsewhere' });
    const code =
      status === 401 || status === 403 ? 'not-allowed' : told.includes(NO_GATE) ? 'bad-usage' : 'bad-input';
    const said = await laterRefusal(code, askGate({ url: gate.url, token }, 'approvals', decision));
    expect(said.replaceAll(gate.url, 'URL')).toBe(told);
    expect(gate.received).toHaveLength(1);
  });

  it('says how to trust a certificate', async () => {
    const { url } = await startTarget(undefined, await makeCertificate(['127.0.0.1']));
    expect(await laterRefusal('target-unreachable', askGate({ url, token: 't' }, 'approvals'))).toMatch(
      /^no gate answers at https:.*: self-signed certificate \(if you trust it, .*: --ca FILE\)$/,
    );
  });

  it('says where there is none', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    expect(await laterRefusal('target-unreachable', askGate({ url, token: 't' }, 'approvals'))).toMatch(
      /^no gate answers at http:.*: connect ECONNREFUSED .* \(start it with patchgate proxy, or say where it listens: --gate URL\)$/,
    );
  });
});
