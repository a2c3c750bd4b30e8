import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { outputsOf } from '../../../src/commands/check/outputs.ts';
import { type CheckArgs, runCheck, withoutOwnFiles } from '../../../src/commands/check/run-check.ts';
import { loadContract } from '../../../src/contract/load-contract.ts';
import { createGate, type Gate } from '../../../src/gate/gate.ts';
import type { StoredBody } from '../../../src/model/exchange.ts';
import { refusal } from '../../support/errors.ts';

const gate = createGate(loadContract('schemas'), {
  validation: 'enforce',
  guard: 'off',
  bodyLimit: 100_000,
});

const PATH = '/api/v2/accounts/current/projects/42';
const PROJECT = {
  name: 'Checkout',
  languages: ['NODEJS'],
  environments: [{ id: 1, name: 'Production', isEnabled: true }],
};
const { languages: _, ...WITHOUT_LANGUAGES } = PROJECT;

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'patchgate-check-'));
});
afterEach(() => rm(cwd, { recursive: true }));

async function write(file: string, content: string): Promise<void> {
  await mkdir(dirname(join(cwd, file)), { recursive: true });
  await writeFile(join(cwd, file), content);
}

interface Found {
  rule: string;
  severity: string;
  pointer: string;
  line?: number;
  column?: number;
}
interface Judged {
  pointer: string;
  method?: string;
  path?: string;
  operation?: string;
  outcome: string;
  findings: Found[];
}
interface Output {
  summary: Record<string, number>;
  files: { file: string; kind: string; unjudged: number; subjects: Judged[] }[];
}

async function check(inputs: string[], args: Partial<CheckArgs> = {}, stdin = '', judging = gate) {
  let output = '';
  const io = {
    cwd,
    stdin: (async function* () {
      yield Buffer.from(stdin);
    })(),
    stdout: (text: string) => {
      output += text;
    },
  };
  const exitCode = await runCheck(
    { inputs, outputs: [{ format: 'json' }], failOn: 'error', ...args },
    io,
    () => judging,
  );
  return { exitCode, output };
}

async function checkAsJson(...args: Parameters<typeof check>) {
  const { exitCode, output } = await check(...args);
  return { exitCode, report: JSON.parse(output) as Output };
}

function recording(...exchanges: [body: StoredBody | undefined, request?: object][]): string {
  const content = {
    formatVersion: 1,
    exchanges: exchanges.map(([body, request]) => ({
      request: {
        method: 'PATCH',
        path: PATH,
        query: '',
        headers: { 'content-type': 'application/json' },
        ...(body && { body }),
        ...request,
      },
      response: { status: 200, headers: {} },
      meta: { recordedAt: '2026-11-20T12:00:00.000Z', durationMs: 1 },
    })),
  };
  return JSON.stringify(content, null, 2);
}

/** The text that is at a finding's place. */
function textAt(content: string, { line = 0, column = 0 }: Found): string | undefined {
  return content.split('\n')[line - 1]?.slice(column - 1);
}

describe('a body', () => {
  const OPERATION = { operation: 'updateProject' };

  test('that is good: exit code 0', async () => {
    await write('good.json', JSON.stringify(PROJECT));
    const { exitCode, report } = await checkAsJson(['good.json'], OPERATION);
    expect(exitCode).toBe(0);
    expect(report.files).toEqual([
      {
        file: 'good.json',
        kind: 'body',
        unjudged: 0,
        subjects: [{ pointer: '', operation: 'updateProject', outcome: 'pass', omitted: 0, findings: [] }],
      },
    ]);
  });

  test('with an error: exit code 1, and its place in the file', async () => {
    const content = JSON.stringify({ ...PROJECT, languages: ['RUST'] }, null, 2);
    await write('bad.json', content);
    const { exitCode, report } = await checkAsJson(['bad.json'], OPERATION);
    expect(exitCode).toBe(1);
    const finding = report.files[0]?.subjects[0]?.findings[0] as Found;
    expect(finding).toMatchObject({ rule: 'schema.enum', pointer: '/languages/0' });
    expect(textAt(content, finding)).toBe('"RUST"');
  });

  test('as text shows the line with a caret', async () => {
    await write('bad.json', '{\n  "name": 1,\n  "languages": [], "environments": []\n}');
    const { exitCode, output } = await check(['bad.json'], { ...OPERATION, outputs: [{ format: 'text' }] });
    expect(exitCode).toBe(1);
    expect(output).toMatch(/^bad\.json\n\n {2}bad\.json:2:11 {2}error {2}schema\.type {2}/);
    expect(output).toContain('\n    2 |   "name": 1,\n      |           ^\n');
  });

  test('with a warning fails where warnings are to', async () => {
    await write('warn.json', JSON.stringify({ ...PROJECT, owner: 'me' }));
    expect((await check(['warn.json'], OPERATION)).exitCode).toBe(0);
    expect((await check(['warn.json'], { ...OPERATION, failOn: 'warn' })).exitCode).toBe(1);
  });

  test('is read from standard input', async () => {
    const { exitCode, report } = await checkAsJson(['-'], OPERATION, JSON.stringify(WITHOUT_LANGUAGES));
    expect(exitCode).toBe(1);
    expect(report.files[0]?.file).toBe('<stdin>');
  });

  test('that is no JSON is a finding, not a failure', async () => {
    await write('broken.json', '{\n"name": }');
    const { exitCode, report } = await checkAsJson(['broken.json'], OPERATION);
    expect(exitCode).toBe(1);
    expect(report.files[0]?.subjects[0]?.findings).toMatchObject([
      { rule: 'request.json', line: 2, column: 9 },
    ]);
  });

  test.each([OPERATION, { path: PATH }])('that is too large is a finding: %j', async (as) => {
    await write('large.json', JSON.stringify({ ...PROJECT, name: 'x'.repeat(200_000) }));
    const { report } = await checkAsJson(['large.json'], as);
    expect(report.files[0]?.subjects[0]?.findings).toMatchObject([{ rule: 'request.too-large' }]);
  });

  test('judged by path is judged as a PATCH of it', async () => {
    await write('draft.json', '{"draftId": 1002}');
    const path = '/accounts/current/drafts/1001';
    const { report } = await checkAsJson(['draft.json'], { path });
    const [subject] = report.files[0]?.subjects ?? [];
    expect(subject).toMatchObject({ method: 'PATCH', path, operation: 'updateDraft', outcome: 'block' });
    expect(subject?.findings.map(({ rule }) => rule)).toContain('draft.id-matches-path');
  });

  test.each([
    [{}, 'body.json', 'updateProject'],
    [{ operation: 'updateNothing' }, 'updateNothing', 'updateProject'],
    [{ path: '/accounts/current/campaigns/1' }, '/accounts/current/campaigns/1', 'updateProject'],
    [{ operation: 'updateProject', path: PATH }, '--path', 'path'],
  ])('%j: cannot be judged, and nothing is written', async (as, message, hint) => {
    await write('body.json', '{}');
    await expect(check(['body.json'], as)).rejects.toMatchObject({
      code: 'bad-usage',
      exitCode: 2,
      message: expect.stringContaining(message),
      hint: expect.stringContaining(hint),
    });
  });
});

describe('a recording', () => {
  test('has each exchange judged that an operation concerns', async () => {
    const content = recording(
      [{ json: PROJECT }],
      [undefined, { method: 'GET' }],
      [{ json: { percentTraffic: '50' } }, { path: '/api/v2/accounts/current/drafts/1001' }],
    );
    await write('recordings/a/PATCH.json', content);
    const { exitCode, report } = await checkAsJson(['recordings']);
    expect(exitCode).toBe(1);
    expect(report.summary).toMatchObject({ files: 1, judged: 2, unjudged: 1, blocked: 1, errors: 1 });
    const [file] = report.files;
    expect(file).toMatchObject({ file: 'recordings/a/PATCH.json', kind: 'recording' });
    expect(file?.subjects).toMatchObject([
      { pointer: '/exchanges/0', method: 'PATCH', path: PATH, operation: 'updateProject', outcome: 'pass' },
      { pointer: '/exchanges/2', operation: 'updateDraft', outcome: 'block' },
    ]);
    expect(textAt(content, file?.subjects[1]?.findings[0] as Found)).toBe('"50"');
  });

  test('has findings at their places in the file, whatever the body was stored like', async () => {
    const content = recording(
      [{ json: WITHOUT_LANGUAGES }],
      [{ json: { ...PROJECT, owner: 'me' }, indent: 4, newline: true }],
      [{ text: '{"name": "é\\n",\n "name": "b"}' }],
      [{ base64: Buffer.from('\ufeff{}').toString('base64') }],
      [{ json: PROJECT }, { path: '/api/v2/accounts/main/projects/42' }],
      [{ json: PROJECT }, { headers: { 'content-type': 'text/plain' } }],
      [undefined],
    ).replace('é', '\\u00e9');
    await write('PATCH.json', content);
    const { report } = await checkAsJson(['PATCH.json']);
    const places = report.files[0]?.subjects.map(({ findings }) => {
      const [first] = findings as [Found];
      return [first.rule, textAt(content, first)];
    });
    expect(places).toEqual([
      // Just inside the object that should have it.
      ['schema.required', ''],
      ['schema.unknown-field', '"owner": "me"'],
      ['request.duplicate-key', '\\"name\\": \\"b\\"}"'],
      ['request.json', '"77u/e30="'],
      ['request.path-parameter', '"/api/v2/accounts/main/projects/42",'],
      ['request.content-type', '{'],
      ['request.json', ''],
    ]);
  });

  test('keeps bodies decoded: the content coding is not undone once more', async () => {
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    await write('PATCH.json', recording([{ json: PROJECT }, { headers }]));
    expect((await check(['PATCH.json'])).exitCode).toBe(0);
  });

  test.each([
    ['\ufeff{"formatVersion":1,"exchanges":[]}', '1:1: the file begins with a byte order mark'],
    ['[]', '1:1: an object is expected'],
    ['<<<<<<< HEAD', '1:1: expected a value'],
  ])('that is %j says what is wrong', async (content, message) => {
    await write('a/PATCH.json', content);
    await expect(check(['a'])).rejects.toMatchObject({
      code: 'bad-recording',
      message: expect.stringContaining(`a/PATCH.json:${message}`),
    });
  });

  test('that is broken stops the check, with its place', async () => {
    await write('a/PATCH.json', recording([{ json: PROJECT }]).slice(0, -10));
    await expect(check(['a'])).rejects.toMatchObject({
      code: 'bad-recording',
      exitCode: 2,
      message: expect.stringMatching(/^a\/PATCH\.json:\d+:\d+: /),
    });
  });

  test('needs no operation, also beside a body that does', async () => {
    await write('x/body.json', JSON.stringify(PROJECT));
    await write('x/PATCH.json', recording([{ json: {} }, { path: '/accounts/current/drafts/1001' }]));
    const { report } = await checkAsJson(['x'], { operation: 'updateProject' });
    expect(report.files.map(({ subjects }) => subjects[0]?.operation)).toEqual([
      'updateDraft',
      'updateProject',
    ]);
  });
});

describe('inputs of each kind', () => {
  const HAR = JSON.stringify({
    log: { entries: [{ request: { method: 'PATCH', url: PATH, postData: { text: '{}' } } }] },
  });

  test('are judged together, in their order, and each is told to the gate by its absolute name', async () => {
    await write('a/1.json', JSON.stringify(PROJECT));
    await write('a/2.har', `\ufeff${HAR}`);
    await write('a/4/PATCH.json', recording([{ json: PROJECT }]));
    const files: (string | undefined)[] = [];
    const telling: Gate = {
      ...gate,
      inspect(request, match, circumstances) {
        files.push(circumstances?.file);
        return gate.inspect(request, match, circumstances);
      },
    };
    const { report } = await checkAsJson(['-', 'a/**/*'], { operation: 'updateProject' }, '{}', telling);
    expect(report.files.map(({ file, kind }) => [file, kind])).toEqual([
      ['<stdin>', 'body'],
      ['a/1.json', 'body'],
      ['a/2.har', 'har'],
      ['a/4/PATCH.json', 'recording'],
    ]);
    expect(report.summary).toMatchObject({ files: 4, judged: 4, blocked: 2 });
    const names = ['a/1.json', 'a/2.har', 'a/4/PATCH.json'].map((name) => join(cwd, name));
    expect(files).toEqual([undefined, ...names]);
    expect(report.files[2]?.subjects[0]?.findings[0]).toMatchObject({ line: 1 });
  });

  test('stop the check where one is broken, and nothing is written', async () => {
    await write('a/1.json', '{}');
    await write('a/2.har', HAR.slice(0, -5));
    await expect(check(['a'], { operation: 'updateProject' })).rejects.toMatchObject({
      code: 'bad-input',
      message: expect.stringMatching(/^a\/2\.har:1:\d+: the document ends where/),
    });
  });
});

test('no gate is made where there is nothing to judge', async () => {
  const io = { cwd, stdin: (async function* () {})(), stdout: () => {} };
  const noGate = () => {
    throw new Error('made a gate');
  };
  const args = { inputs: ['none.json'], outputs: [{ format: 'text' }], failOn: 'error' } as const;
  await expect(runCheck(args, io, noGate)).rejects.toMatchObject({ code: 'bad-input', exitCode: 2 });
});

test('tells how far it is, and no more once there is a report', async () => {
  await write('PATCH.json', recording([{ json: PROJECT }], [{ json: WITHOUT_LANGUAGES }]));
  await write('body.json', JSON.stringify(PROJECT));
  const told: string[] = [];
  const io = {
    ...{ cwd, stdin: (async function* () {})() },
    progress: {
      show: (text: () => string) => void told.push(text()),
      clear: () => void told.push('clear'),
    },
    stdout: () => void told.push('report'),
  };
  const args = { inputs: ['PATCH.json', 'body.json'], outputs: [{ format: 'text' }] } as const;
  await runCheck({ ...args, operation: 'updateProject', failOn: 'error' }, io, () => gate);
  expect(told).toEqual([
    ...[
      'judged 1 request, 0 of 2 files',
      'judged 2 requests, 0 of 2 files',
      'judged 3 requests, 2 of 2 files',
    ],
    ...['clear', 'report'],
  ]);
});

test.each(['json', 'text'] as const)('the report as %s quotes no secret', async (format) => {
  const secret = `ghp_${'a1B2'.repeat(9)}`;
  await write('body.json', JSON.stringify({ ...PROJECT, [secret]: 1, token: 'hunter2' }));
  const { output } = await check(['body.json'], { operation: 'updateProject', outputs: [{ format }] });
  expect(output).toContain('schema.unknown-field');
  expect(output).not.toMatch(/ghp_|hunter2/);
});

test('the config file and the reports of the last run are not judged, but where they are named', () => {
  const outputs = outputsOf(['json=./r.json'], cwd);
  const own = { outputs, configFile: join(cwd, 'c.json') };
  const without = (files: string[], inputs: string[]) => withoutOwnFiles(files, { ...own, inputs }, cwd);
  expect(without(['a.json', 'c.json', 'r.json'], ['.'])).toEqual(['a.json']);
  expect(without(['a.json', 'r.json'], ['a.json', 'r.json'])).toEqual(['a.json', 'r.json']);
  expect(without(['c.json'], ['c.json'])).toEqual(['c.json']);
  expect(refusal('bad-input', () => without(['r.json'], ['.']))).toContain(
    'nothing to judge but the config file and reports',
  );
});
