import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { DEFAULT_REDACTION } from '../../src/recordings/redact/redaction.ts';
import { createAccessLog } from '../../src/server/access-log.ts';
import type { FinishedExchange } from '../../src/server/finished-exchange.ts';
import { finding, finished, verdict } from '../support/finished-exchange.ts';

function line(format: 'text' | 'json', members: Partial<FinishedExchange> = {}): string {
  const written: string[] = [];
  const log = createAccessLog(format, DEFAULT_REDACTION, (text) => written.push(text));
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

  it('say what passed', () => {
    expect(line('text')).toMatch(/^\d\d:\d\d:\d\d PATCH/);
    expect(text()).toBe('PATCH /api/v2/accounts/current/projects/42 200 pass updateProject target 12ms');
  });

  it('say what was blocked, and by which rules', () => {
    expect(text(BLOCKED)).toBe(
      'PATCH /api/v2/accounts/current/projects/42 422 block updateProject gate 12ms: ' +
        'error schema.required /languages, warn request.content-type',
    );
  });

  const unknown = (i: number) => finding(`/x${i}`, { rule: 'schema.unknown-field', severity: 'warn' });
  const LOST: Partial<FinishedExchange> = {
    ...BLOCKED,
    verdict: verdict({
      outcome: 'block',
      findings: [
        ...[1, 2, 3, 4, 5].map(unknown),
        finding('/name', { rule: 'schema.type' }),
        finding('/environments', { rule: 'project.environment-deleted', severity: 'warn' }),
      ],
      effects: [
        { kind: 'environment-deleted', id: 2, name: 'Staging\u001b[31m' },
        { kind: 'environment-replaced', id: 3, name: 'QA', newId: 4, index: 0 },
        { kind: 'language-removed', name: 'GO' },
      ],
    }),
  };

  it('name what is lost first, then what is worst', () => {
    expect(text(LOST)).toContain(
      ' 12ms: deletes environment 2 (Staging\\u001b[31m), 3 (QA): warn project.environment-deleted /environments, ' +
        'error schema.type /name, warn schema.unknown-field /x1, warn schema.unknown-field /x2, ' +
        'warn schema.unknown-field /x3 and 2 more',
    );
    expect(JSON.parse(line('json', LOST))).toMatchObject({
      lost: [{ id: 2 }, { id: 3, name: 'QA' }],
      findingsInAll: 7,
    });
  });

  it('have colours on a terminal, and none that a client could have sent', () => {
    const written: string[] = [];
    const log = createAccessLog('text', DEFAULT_REDACTION, (text) => written.push(text), true);
    log.finished(finished({ ...LOST, ...withUrl('/\u001b[31m') }));
    log.flush();
    for (const part of ['\u001b[31mblock\u001b[39m', '(Staging\\u001b[31m)', 'PATCH /\\u001b[31m 422'])
      expect(written[0]).toContain(part);
  });

  it('say what was not judged, and what failed', () => {
    const members = { ...withUrl('/x'), verdict: undefined, response: undefined, failure: 'client gone' };
    expect(text(members)).toBe('PATCH /x - not judged target 12ms: client gone');
  });

  it('say which fault was injected', () => {
    const members = { ...withUrl('/x'), verdict: undefined, fault: 'reset', failure: 'cut off' };
    expect(text(members)).toBe('PATCH /x 200 not judged target 12ms: fault reset: cut off');
  });
});

it('lines in JSON say the same, and leave out what there is not', () => {
  expect(JSON.parse(line('json', { ...BLOCKED, failure: 'oh' }))).toEqual({
    time: '2026-11-20T12:00:00.000Z',
    method: 'PATCH',
    url: '/api/v2/accounts/current/projects/42',
    status: 422,
    verdict: 'block',
    operation: 'updateProject',
    findings: [
      { rule: 'schema.required', severity: 'error', pointer: '/languages' },
      { rule: 'request.content-type', severity: 'warn', pointer: '' },
    ],
    findingsInAll: 2,
    answeredBy: 'gate',
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
    expect(shown).toContain('[redacted]');
    expect(shown).toContain('limit=1');
    expect(shown).not.toContain('abc123');
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

  it('stays short where a URL, a failure or findings are long', () => {
    const findings = Array.from({ length: 100 }, (_, i) => finding(`/${'x'.repeat(1000)}${i}`));
    const members = { ...withUrl(`/${'x'.repeat(50_000)}`), failure: 'y'.repeat(50_000) };
    expect(line(format, { ...members, verdict: verdict({ findings, omitted: 7 }) }).length).toBeLessThan(
      4000,
    );
  });
});

it('writes the lines of one turn together, and none when it is off', async () => {
  const written: string[] = [];
  const log = createAccessLog('text', DEFAULT_REDACTION, (text) => written.push(text));
  for (let i = 0; i < 2; i++) log.finished(finished());
  expect(written).toEqual([]);
  await setImmediate();
  expect(written.map((text) => text.split('\n').length)).toEqual([3]);
  log.finished(finished());
  log.flush();
  log.flush();
  await setImmediate();
  expect(written).toHaveLength(2);
  const off = createAccessLog('off', DEFAULT_REDACTION, () => expect.unreachable());
  off.finished(finished());
  off.flush();
});
