import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { DEFAULT_REDACTION } from '../../src/recordings/redact/redaction.ts';
import { createAccessLog } from '../../src/server/access-log.ts';
import { entriesBy } from '../../src/server/entry.ts';
import type { FinishedExchange } from '../../src/server/exchange.ts';
import { finding, finished, verdict } from '../support/finished-exchange.ts';
import { gate } from '../support/gate.ts';

const entryOf = entriesBy(gate(), DEFAULT_REDACTION, true);

function line(format: 'text' | 'json', members: Partial<FinishedExchange> = {}, isColoured = false): string {
  const written: string[] = [];
  const log = createAccessLog(format, entryOf, DEFAULT_REDACTION, (text) => written.push(text), isColoured);
  log.finished(finished(members));
  log.flush();
  expect(written).toHaveLength(1);
  expect(written[0]).toMatch(/^[^\n]+\n$/);
  return (written[0] as string).trimEnd();
}

function withUrl(url: string): Partial<FinishedExchange> {
  return { request: { method: 'PATCH', url, headers: [] } };
}

const BLOCKED: Partial<FinishedExchange> = {
  answeredBy: 'gate',
  response: { status: 422, headers: [], body: undefined },
  verdict: verdict({
    outcome: 'block',
    findings: [
      finding('/languages', { rule: 'schema.required' }),
      finding('', { rule: 'request.content-type', severity: 'warn' }),
    ],
  }),
};

describe('lines for people', () => {
  const text = (members?: Partial<FinishedExchange>) => line('text', members).replace(/^\d\d:\d\d:\d\d /, '');

  const unknown = (i: number) => finding(`/x${i}`, { rule: 'schema.unknown-field', severity: 'warn' });
  const LOST: Partial<FinishedExchange> = {
    ...BLOCKED,
    verdict: verdict({
      outcome: 'block',
      findings: [...[1, 2, 3, 4, 5].map(unknown), finding('/name', { rule: 'schema.type' })],
    }),
    effects: [
      { kind: 'language-removed', name: 'GO' },
      { kind: 'environment-deleted', id: 2, name: 'Staging\u001b[31m' },
      { kind: 'environment-replaced', id: 3, name: 'QA', newId: 4, index: 0 },
    ],
  };

  it('name what is lost first, then what is worst', () => {
    expect(text(LOST)).toContain(
      ' 12ms: deletes environment 2 (Staging\\u001b[31m), 3 (QA): error schema.type /name, warn schema.unknown-field /x1, warn schema.unknown-field /x2, ' +
        'warn schema.unknown-field /x3, warn schema.unknown-field /x4 and 1 more',
    );
  });

  it('have colours on a terminal, and none that a client could have sent', () => {
    const shown = line('text', { ...LOST, ...withUrl('/\u001b[31m') }, true);
    for (const part of ['\u001b[31mblock\u001b[39m', '(Staging\\u001b[31m)', 'PATCH /\\u001b[31m 422'])
      expect(shown).toContain(part);
  });
});

it('lines in JSON say the same, with a message for each finding', () => {
  expect(JSON.parse(line('json', { ...BLOCKED, failure: 'oh' }))).toEqual({
    time: '2026-11-20T12:00:00.000Z',
    method: 'PATCH',
    path: '/api/v2/accounts/current/projects/42',
    operation: 'updateProject',
    record: { base: '/api/v2', account: 'current', kind: 'project', id: '42' },
    verdict: 'block',
    findings: [
      { rule: 'schema.required', severity: 'error', pointer: '/languages', message: 'is wrong' },
      { rule: 'request.content-type', severity: 'warn', pointer: '', message: 'is wrong' },
    ],
    approved: false,
    forwarded: false,
    answeredBy: 'gate',
    status: 422,
    durationMs: 12.3,
    failure: 'oh',
  });
  const parsed = JSON.parse(line('json', { verdict: undefined, response: undefined, fault: 'reset' }));
  expect(parsed).toMatchObject({ verdict: 'not judged', fault: 'reset' });
  for (const name of ['status', 'operation', 'findings', 'failure']) expect(parsed).not.toHaveProperty(name);
});

describe.each(['text', 'json'] as const)('%s', (format) => {
  it('redacts URLs', () => {
    const shown = line(format, withUrl('/x?token=abc123&limit=1'));
    expect(shown).toContain('token=[redacted]&limit=1');
    expect(shown).not.toContain('abc123');
    expect(line(format, withUrl('http://me:hunter2?@h/a'))).not.toContain('hunter2');
  });

  it('keeps escape sequences from the terminal', () => {
    const shown = line(format, {
      ...withUrl('/x\u009b31m\u001b]0;title\u0007'),
      verdict: verdict({ findings: [finding('/a\n12:00:00 GET /forged 200')] }),
      failure: 'reset\u001b[2J',
    });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
    expect(shown).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
    expect(shown).toContain('\\u009b31m');
  });
});

it('lines for people stay short where a URL, a failure or findings are long', () => {
  const findings = Array.from({ length: 100 }, (_, i) => finding(`/${'x'.repeat(1000)}${i}`));
  const members = { ...withUrl(`/${'x'.repeat(50_000)}`), failure: 'y'.repeat(50_000) };
  expect(line('text', { ...members, verdict: verdict({ findings, omitted: 7 }) }).length).toBeLessThan(4000);
});

it('writes the lines of one turn together, and none when it is off', async () => {
  const written: string[] = [];
  const log = createAccessLog('text', entryOf, DEFAULT_REDACTION, (text) => written.push(text));
  for (let i = 0; i < 2; i++) log.finished(finished());
  expect(written).toEqual([]);
  await setImmediate();
  expect(written.map((text) => text.split('\n').length)).toEqual([3]);
  log.finished(finished());
  log.flush();
  log.flush();
  await setImmediate();
  expect(written).toHaveLength(2);
  const off = createAccessLog('off', entryOf, DEFAULT_REDACTION, () => expect.unreachable());
  off.finished(finished());
  off.flush();
});
