import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { type ReportArgs, runReport } from '../../src/commands/report.ts';
import type { AuditLine } from '../../src/model/audit.ts';
import type { Enforcement } from '../../src/reporters/enforcement.ts';
import { auditLine } from '../support/audit.ts';
import { laterRefusal } from '../support/errors.ts';
import { gate } from '../support/gate.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

let cwd: string;
beforeEach(() => {
  cwd = temporaryFolder();
});

async function report(
  inputs: string[],
  { stdin = '', ...args }: Partial<ReportArgs> & { stdin?: string } = {},
): Promise<string> {
  let written = '';
  const io = {
    cwd,
    today: '2026-11-23',
    stdin: (async function* () {
      yield Buffer.from(stdin);
    })(),
    stdout: (text: string) => {
      written += text;
    },
  };
  const guard = args.guard ?? 'on';
  await runReport({ inputs, format: 'json', guard, ...args }, io, () => gate({ guard }));
  return written;
}

const resultOf = async (...args: Parameters<typeof report>) =>
  JSON.parse(await report(...args)) as Enforcement;
const namesIn = ({ top }: Enforcement['rules']) => top.map(({ name, requests }) => `${name} ${requests}`);
const write = (name: string, ...lines: string[]) => writeFileSync(join(cwd, name), `${lines.join('\n')}\n`);

const LOST: Partial<AuditLine> = {
  effects: [{ kind: 'environment-deleted', id: 2, name: 'Staging' }],
};
const DELETED = 'project.environment-deleted';
const warning = { rule: DELETED, severity: 'warn', pointer: '/environments', message: 'deletes' } as const;

describe('an audit', () => {
  it('counts clients by their addresses', async () => {
    const [client, other] = ['10.0.3.7', '10.0.3.8'];
    const lines = [{ client }, { client }, { client: other }];
    write('audit.jsonl', ...lines.map((line) => auditLine(line)));
    expect(namesIn((await resultOf(['audit.jsonl'])).clients)).toEqual(['10.0.3.7 2', '10.0.3.8 1']);
  });

  it.each<[string, Partial<AuditLine>, string[], Partial<Enforcement>]>([
    ['what passed with an error', {}, ['schema.enum 1'], { wouldBlock: 1, blocked: 0 }],
    [
      'what was blocked',
      { verdict: 'block', forwarded: false, status: 422 },
      ['schema.enum 1'],
      { wouldBlock: 1, blocked: 1 },
    ],
    [
      'a loss without a guard',
      { ...LOST, findings: [warning] },
      [`${DELETED} 1`],
      { wouldBlock: 1, deleted: 1 },
    ],
    [
      'a loss that was not judged',
      { ...LOST, findings: [] },
      [`${DELETED} 1`],
      { wouldBlock: 1, deleted: 1 },
    ],
    [
      'a loss that the target refused',
      { ...LOST, findings: [], status: 404 },
      [`${DELETED} 1`],
      { deleted: 0 },
    ],
    ['a loss beside an error', LOST, [`${DELETED} 1`, 'schema.enum 1'], { wouldBlock: 1 }],
    [
      'an approved loss',
      { ...LOST, findings: [warning], approved: true },
      [],
      { wouldBlock: 0, approved: 1, deleted: 1 },
    ],
    [
      'a loss that is allowed',
      { effects: [{ kind: 'environment-deleted', id: 2, name: 'e2e', allowed: true }], findings: [] },
      [],
      { wouldBlock: 0, deleted: 1 },
    ],
  ])('counts %s', async (_what, line, rules, counts) => {
    write('audit.jsonl', auditLine(line));
    const result = await resultOf(['audit.jsonl']);
    expect(result).toMatchObject({ requests: 1, ...counts });
    expect(namesIn(result.rules)).toEqual(rules);
  });

  it('counts no loss where the guard is off', async () => {
    write('audit.jsonl', auditLine({ ...LOST, findings: [warning] }));
    expect(await resultOf(['audit.jsonl'], { guard: 'off' })).toMatchObject({ wouldBlock: 0, deleted: 1 });
  });

  it('is counted by rule, operation, client and record, with the first as the example', async () => {
    write('audit.jsonl.1', auditLine({ time: '2026-11-22T05:00:00.000Z', client: '10.0.0.7' }));
    write(
      'audit.jsonl',
      auditLine(),
      auditLine({ time: '2026-11-24T05:00:00.000Z', record: undefined, operation: undefined }),
    );
    const result = await resultOf(['audit.jsonl', 'audit.jsonl.1']);
    expect(namesIn(result.operations)).toEqual(['updateProject 2']);
    expect(namesIn(result.clients)).toEqual(['127.0.0.1 2', '10.0.0.7 1']);
    expect(namesIn(result.records)).toEqual([
      'project 42 (/api/v2 current) 2',
      '/api/v2/accounts/current/projects/42 1',
    ]);
    expect(result.rules.top).toEqual([
      {
        ...{ name: 'schema.enum', requests: 3 },
        ...{ first: '2026-11-22T05:00:00.000Z', last: '2026-11-24T05:00:00.000Z' },
        example: {
          place: 'audit.jsonl.1:1',
          time: '2026-11-22T05:00:00.000Z',
          method: 'PATCH',
          path: '/api/v2/accounts/current/projects/42',
          ...{ rule: 'schema.enum', pointer: '/languages/0', message: 'wrong' },
        },
      },
    ]);
  });

  it('is read from standard input', async () => {
    expect(await resultOf(['-'], { stdin: `${auditLine()}\n{"audit":` })).toMatchObject({ requests: 1 });
  });

  it('that is broken writes nothing', async () => {
    write('audit.jsonl', auditLine(), '{"time":"2026"');
    expect(await laterRefusal('bad-input', report(['audit.jsonl']))).toContain('audit.jsonl:2: ');
  });
});

describe('what is judged', () => {
  const PATH = '/api/v2/accounts/current/projects/42';
  const project = (...languages: string[]) => ({
    name: 'Checkout',
    languages,
    environments: [{ id: 1, name: 'Production', isEnabled: true }],
  });

  it('of a HAR has its time, its client and its place', async () => {
    const entry = (language: string, startedDateTime: string) => ({
      startedDateTime,
      request: {
        method: 'PATCH',
        url: `http://x.test${PATH}`,
        headers: [
          { name: 'content-type', value: 'application/json' },
          { name: 'User-Agent', value: 'deploy/1.0' },
        ],
        postData: { mimeType: 'application/json', text: JSON.stringify(project(language)) },
      },
      response: { status: 200, headers: [], content: {} },
    });
    const entries = [
      entry('COBOL', '2026-11-23T07:00:00+02:00'),
      entry('GO', 'no time'),
      entry('C', 'no time'),
    ];
    write('x.har', JSON.stringify({ log: { entries } }));
    const result = await resultOf(['x.har']);
    expect(result).toMatchObject({ requests: 3, wouldBlock: 2, first: '2026-11-23T05:00:00.000Z' });
    expect(result.clients.top).toMatchObject([{ name: 'deploy/1.0', requests: 2 }]);
    expect(result.records.top).toMatchObject([{ name: 'project 42 (/api/v2 current)' }]);
    expect(result.rules.top[0]?.example.place).toMatch(/^x\.har:1:\d+ \(\/log\/entries\/0\)$/);
  });

  it('of a recording is a history, and of standard input lines', async () => {
    const folder = `recordings/r${PATH}`;
    mkdirSync(join(cwd, folder), { recursive: true });
    const exchange = (method: string, body: object) => ({
      request: {
        method,
        path: PATH,
        query: '',
        headers: { 'content-type': 'application/json' },
        ...(method === 'PATCH' && { body: { json: body } }),
      },
      response: { status: 200, headers: { 'content-type': 'application/json' }, body: { json: body } },
      meta: {
        recordedAt: method === 'GET' ? '2026-11-23T05:00:00.000Z' : '2026-11-23T05:00:01.000Z',
        durationMs: 1,
      },
    });
    const both = project('GO');
    both.environments.push({ id: 2, name: 'Staging', isEnabled: false });
    write(`${folder}/GET.json`, JSON.stringify({ formatVersion: 1, exchanges: [exchange('GET', both)] }));
    write(
      `${folder}/PATCH.json`,
      JSON.stringify({ formatVersion: 1, exchanges: [exchange('PATCH', project('GO'))] }),
    );
    const stdin = JSON.stringify({ method: 'PATCH', url: PATH, body: { languages: 5 } });
    const result = await resultOf(['r', '-'], { recordings: 'recordings', stdin });
    expect(result).toMatchObject({
      requests: 2,
      wouldBlock: 2,
      notConcerned: 1,
      last: '2026-11-23T05:00:01.000Z',
    });
    expect(result.rules.top.map(({ name }) => name)).toContain(DELETED);
  });

  it('hides what is secret', async () => {
    const token = `ghp_${'a1B2'.repeat(9)}`;
    write(
      'x.jsonl',
      JSON.stringify({
        method: 'PATCH',
        url: PATH,
        headers: { 'content-type': 'application/json', 'user-agent': token },
        body: { languages: [token] },
      }),
    );
    expect(await report(['x.jsonl'], { format: 'text' })).not.toContain(token);
  });
});
