import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { StoredBody } from '../../src/model/exchange.ts';
import { exchange, stringifyRecording } from '../support/exchanges.ts';
import { projectOf, writeRecording } from '../support/recorded-folder.ts';
import { runSource } from '../support/run-here.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const PATH = '/api/v2/accounts/current/projects/42';
const GOOD = projectOf(1);
const { languages: _, ...WITHOUT_LANGUAGES } = GOOD;
const AS_PROJECT = ['--operation', 'updateProject'];

let cwd: string;
beforeEach(() => {
  cwd = temporaryFolder();
});

function write(file: string, content: unknown): void {
  mkdirSync(dirname(join(cwd, file)), { recursive: true });
  const isText = typeof content === 'string' || Buffer.isBuffer(content);
  writeFileSync(join(cwd, file), isText ? content : JSON.stringify(content));
}

const run = (...args: string[]) => runSource(['check', ...args], { cwd });

interface Found {
  rule: string;
  pointer: string;
  line?: number;
  column?: number;
}

/** The exit code, and the report as JSON. */
async function check(...args: string[]) {
  const { code, stdout, stderr } = await run(...args, '-f', 'json');
  if (stdout === '') throw new Error(stderr);
  const report = JSON.parse(stdout);
  const subjects = report.files.flatMap((file: { subjects: object[] }) => file.subjects);
  const findings: Found[] = subjects.flatMap((subject: { findings: Found[] }) => subject.findings);
  return { code, ...report, subjects, findings };
}

/** What stands in a text from the place of each finding to the end of its line. */
function places(text: string, findings: readonly Found[]): [string, string | undefined][] {
  const lines = text.split('\n');
  return findings.map(({ rule, line = 0, column = 0 }) => [rule, lines[line - 1]?.slice(column - 1)]);
}

function recording(...exchanges: [body: StoredBody | undefined, request?: object][]): string {
  const all = exchanges.map(([body, request]) => {
    const one = exchange({ path: PATH });
    return { ...one, request: { ...one.request, ...(body && { body }), ...request } };
  });
  return JSON.stringify({ formatVersion: 1, exchanges: all }, null, 2);
}

describe('a body', () => {
  it('with an error has exit code 1, and shows the line with a caret', async () => {
    write('bad.json', '{\n  "name": 1,\n  "languages": [], "environments": []\n}');
    const { code, stdout } = await run('bad.json', ...AS_PROJECT);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^bad\.json\n\n {2}bad\.json:2:11 {2}error {2}schema\.type {2}/);
    expect(stdout).toContain('\n    2 |   "name": 1,\n      |           ^\n');
  });

  it('says what a misspelt value may have meant', async () => {
    write('bad.json', { ...GOOD, languages: ['nodejs'] });
    expect((await run('bad.json', ...AS_PROJECT)).stdout).toContain('did you mean "NODEJS"?');
  });

  it.each([
    ['{\n"name": }', 'request.json'],
    [JSON.stringify({ ...GOOD, name: 'x'.repeat(5 * 1024 * 1024) }), 'request.too-large'],
  ])('that cannot be read is a finding, not a failure: %.20s', async (text, rule) => {
    write('body.json', text);
    for (const as of [AS_PROJECT, ['--path', PATH]])
      expect(await check('body.json', ...as)).toMatchObject({ code: 1, findings: [{ rule }] });
  });

  it('fails for warnings where they are to', async () => {
    write('warn.json', { ...GOOD, owner: 'me' });
    expect((await run('warn.json', ...AS_PROJECT)).code).toBe(0);
    expect((await run('warn.json', ...AS_PROJECT, '--fail-on', 'warn')).code).toBe(1);
  });

  it.each<[file: string, body: object, taken: string]>([
    ['projects/42.json', {}, "a PATCH of /accounts/current/projects/42, by the file's name"],
    ['bodies/accounts/7/drafts/1001.json', {}, "a PATCH of /accounts/7/drafts/1001, by the file's name"],
    ['new.updateFeature.json', {}, "updateFeature, by the file's name"],
    ['updateDraft/1.json', { languages: [] }, "updateDraft, by the file's name"],
    ['a.json', { name: 'x', languages: ['nodejs'], environments: [] }, 'updateProject, by its shape'],
    ['b.json', { languages: ['GO'], environments: 1, owner: 'me' }, 'updateProject, by its shape'],
  ])('%s is judged as what it looks like, and says so', async (file, body, taken) => {
    write(file, body);
    expect((await run(file)).stdout).toContain(`note: judged as ${taken}: ${file}`);
  });

  it.each([
    [['body.json'], 'nothing says which operation the body body.json is for'],
    [['body.json', '--operation', 'updateProjct'], 'did you mean updateProject?'],
    [['body.json', '--path', '/accounts/current/campaigns/1'], 'is a PATCH of /accounts/current/campaigns/1'],
    [['body.json', ...AS_PROJECT, '--path', PATH], '--operation and --path cannot be given together'],
    [['body.json', ...AS_PROJECT, '-f', 'jsn'], 'did you mean json?'],
  ])('%j cannot be judged: exit code 2, and nothing is written', async (args, message) => {
    write('body.json', {});
    const { code, stdout, stderr } = await run(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
  });

  it('is judged whatever the environment says of a proxy, and guarded if that is asked for', async () => {
    write('body.json', { name: 'a', languages: ['GO'], environments: [] });
    const env = { PATCHGATE_VALIDATION: 'off', PATCHGATE_GUARD: 'on' };
    expect((await runSource(['check', 'body.json', ...AS_PROJECT, '--no-guard'], { cwd, env })).code).toBe(0);
    expect((await run(...AS_PROJECT, '--guard', 'body.json')).code).toBe(1);
  });
});

describe('a recording', () => {
  it('has findings at their places in the file, whatever the body is stored like', async () => {
    const content = recording(
      [{ json: WITHOUT_LANGUAGES }],
      [{ json: { ...GOOD, owner: 'me' }, indent: 4, newline: true }],
      [{ text: '{"name": "é\\n",\n "name": "b"}' }],
      [{ base64: Buffer.from('\ufeff{}').toString('base64') }],
      [{ json: GOOD }, { path: '/api/v2/accounts/main/projects/42' }],
      [undefined, { method: 'GET' }],
    ).replace('é', '\\u00e9');
    write('PATCH.json', content);
    const { subjects, findings, summary } = await check('PATCH.json');
    expect(summary).toMatchObject({ files: 1, judged: 5, unjudged: 1 });
    expect(subjects[1]).toMatchObject({ pointer: '/exchanges/1', method: 'PATCH', path: PATH });
    expect(places(content, findings)).toEqual(
      expect.arrayContaining([
        // Just inside the object that should have it.
        ['schema.required', ''],
        ['schema.unknown-field', '"owner": "me"'],
        ['request.duplicate-key', '\\"name\\": \\"b\\"}"'],
        ['request.json', '"77u/e30="'],
        ['request.path-parameter', '{'],
      ]),
    );
  });

  it('is a history: each PATCH is held against what the ones before it left', async () => {
    const sent = [projectOf([1, 'A'], [2, 'e2e-B']), projectOf([1, 'A'])];
    writeRecording(
      join(cwd, 'r'),
      sent.map((json) => exchange({ body: { json } })),
    );
    const outcomes = async (...args: string[]) =>
      (await check('r', ...args)).subjects.map(({ outcome }: { outcome: string }) => outcome);
    expect((await check('r')).subjects[1]).toMatchObject({
      findings: [{ rule: 'project.environment-deleted', severity: 'warn' }],
      effects: [{ kind: 'environment-deleted', id: 2 }],
    });
    expect(await outcomes('--guard')).toEqual(['pass', 'block']);
    expect(await outcomes('--guard', '--allow-delete', 'e2e-*')).toEqual(['pass', 'pass']);
    expect(await outcomes('--guard=strict')).toEqual(['block', 'block']);
  });

  it.each([
    ['[]', 'a/PATCH.json:1:1: '],
    ['<<<<<<< HEAD', '1:1: expected a value'],
    [recording([{ json: GOOD }]).slice(0, -10), 'a/PATCH.json:'],
  ])('that is broken stops the check, with its place: %.10s', async (content, message) => {
    write('a/PATCH.json', content);
    const { code, stdout, stderr } = await run('a');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
  });
});

describe('an HTTP archive', () => {
  const entry = (text: string | undefined, request: object = {}, more: object = {}) => ({
    startedDateTime: '2026-11-20T12:00:00Z',
    request: {
      ...{ method: 'PATCH', url: `https://app.example${PATH}` },
      headers: [{ name: 'content-type', value: 'application/json' }],
      ...(text !== undefined && { postData: { text } }),
      ...request,
    },
    response: { status: 200, headers: [], content: { size: 0 } },
    ...more,
  });
  const har = (...entries: unknown[]) => ({
    log: { version: '1.2', creator: { name: 'a browser' }, entries },
  });

  it('has each PATCH judged, with findings at the very character', async () => {
    const text = JSON.stringify(
      har(
        entry('{"name": "é\\n\u2028",\n "näme": 1, "name": "b"}'),
        entry('{}', { method: 'GET' }),
        entry('{"name":'),
      ),
      null,
      2,
    ).replace('é', '\\u00e9');
    write('x.har', text);
    const { subjects, findings, files } = await check('x.har');
    expect(files).toMatchObject([{ file: 'x.har', kind: 'har', unjudged: 1 }]);
    expect(subjects.map(({ pointer }: Found) => pointer)).toEqual(['/log/entries/0', '/log/entries/2']);
    const found = places(text, findings).filter(([rule]) => rule.startsWith('request.'));
    expect(found.map(([rule, at]) => [rule, at?.slice(0, 8)])).toEqual([
      ['request.duplicate-key', '\\"name\\"'],
      ['request.json', '"'],
    ]);
  });

  it('is a history: what a GET showed, and what an accepted PATCH made of it', async () => {
    const sent = (...ids: number[]) => JSON.stringify(projectOf(...ids));
    const shown = { status: 200, content: { text: JSON.stringify({ _data: projectOf(1, 7) }) } };
    write(
      'x.har',
      har(
        entry(undefined, { method: 'GET' }, { response: shown }),
        entry(sent(1)),
        entry(sent(2), {}, { response: { status: 422 } }),
        entry(sent(1)),
      ),
    );
    const { subjects } = await check('x.har');
    const lost = subjects.map(({ effects = [] }: { effects?: { kind: string; id: number }[] }) =>
      effects.filter(({ kind }) => kind === 'environment-deleted').map(({ id }) => id),
    );
    expect(lost).toEqual([[7], [1], []]);
  });

  it('names what it cannot judge', async () => {
    write('x.har', har(entry(undefined, { bodySize: 120 }), entry(JSON.stringify(GOOD))));
    const { code, files, subjects } = await check('x.har');
    expect(code).toBe(2);
    expect((await run('x.har', '-f', 'junit')).stdout).toContain('errors="1"');
    const why = "the request's body is not in the file";
    expect(files[0].skipped).toEqual([{ pointer: '/log/entries/0', method: 'PATCH', path: PATH, why }]);
    expect(subjects).toMatchObject([{ pointer: '/log/entries/1', outcome: 'pass' }]);
  });

  it.each([
    ['{', 'x.har:1:2: the document ends where'],
    ['{"log":{}}', 'x.har:1:9: /log/entries is missing'],
    [Buffer.from('{"log":"ä"}', 'latin1'), 'x.har is not valid UTF-8'],
  ])('that is broken stops the check: %s', async (content, message) => {
    write('x.har', content);
    expect((await run('x.har')).stderr).toContain(message);
  });
});

describe('what is to be judged', () => {
  const files = async (...args: string[]) =>
    (await check(...args, ...AS_PROJECT)).files.map(({ file }: { file: string }) => file);

  beforeEach(() => {
    for (const name of ['b/2.json', 'b/10.json', 'b/a/x.json', 'b/[id].json', 'b/readme.md', 'c.txt'])
      write(name, '{}');
    for (const name of ['b/.git/c.json', 'b/node_modules/d.json']) write(name, '{}');
    write('recordings/checkout/p/PATCH.json', stringifyRecording([exchange()]));
  });

  it.each([
    [['b'], ['b/10.json', 'b/2.json', 'b/[id].json', 'b/a/x.json']],
    [['./b/'], ['b/10.json', 'b/2.json', 'b/[id].json', 'b/a/x.json']],
    [['b/*.json'], ['b/10.json', 'b/2.json', 'b/[id].json']],
    [['b/**'], ['b/10.json', 'b/2.json', 'b/[id].json', 'b/a/x.json']],
    [['b/**/*.json'], ['b/10.json', 'b/2.json', 'b/[id].json', 'b/a/x.json']],
    [['**/{x,2}.json'], ['b/2.json', 'b/a/x.json']],
    [['b/[id].json'], ['b/[id].json']],
    [['?.txt'], ['c.txt']],
    [['checkout'], ['recordings/checkout/p/PATCH.json']],
    [
      ['b/2.json', 'b/a', 'b/2.json'],
      ['b/2.json', 'b/a/x.json'],
    ],
    [['--', 'b/.git/c.json'], ['b/.git/c.json']],
  ])('%j is %j', async (args, found) => {
    const [first, ...rest] = args;
    if (first === '--') {
      const { stdout } = await run(...AS_PROJECT, '-f', 'json', '--', ...rest);
      expect(JSON.parse(stdout).files.map(({ file }: { file: string }) => file)).toEqual(found);
    } else expect(await files(...args)).toEqual(found);
  });

  it('is what a link leads to, but no link back, nor the config file and reports of the last run', async () => {
    symlinkSync(join(cwd, 'b/a'), join(cwd, 'b/a/z-again'));
    symlinkSync(join(cwd, 'b/2.json'), join(cwd, 'b/a/link.json'));
    write('b/a/r.json', '{}');
    write('b/a/c.json', '{}');
    const args = ['b/a', ...AS_PROJECT, '--config', 'b/a/c.json', '-f', 'json=b/a/r.json', '-f', 'text'];
    await run(...args);
    const { files: judged } = JSON.parse(readFileSync(join(cwd, 'b/a/r.json'), 'utf8'));
    expect(judged.map(({ file }: { file: string }) => file)).toEqual(['b/a/link.json', 'b/a/x.json']);
  });

  it.each([
    [['none.json'], 'cannot read none.json: there is no such file, folder or recording'],
    [['chekout'], 'did you mean the recording checkout?'],
    [['b/*.jsonl'], 'no file matches b/*.jsonl'],
    [['b/.git/none'], 'cannot read b/.git/none'],
    [[], 'nothing to judge was given'],
    [['b/2.json', '-f', 'json=./b/2.json'], './b/2.json is judged'],
  ])('%j leads to nothing: exit code 2', async (args, message) => {
    const { code, stderr } = await run(...args, ...AS_PROJECT);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });

  it('may hold nothing that concerns an operation, and says so', async () => {
    write('PATCH.json', recording([undefined, { method: 'GET' }]));
    expect((await run('PATCH.json')).stdout).toContain(
      'nothing was judged: of 1 request none is for an operation',
    );
  });
});

it.each(['json', 'text', 'sarif', 'junit', 'github'])('the report as %s quotes no secret', async (format) => {
  const secret = `ghp_${'a1B2'.repeat(9)}`;
  write('body.json', { ...GOOD, [secret]: 1, token: 'hunter2', name: 1, z: 's'.repeat(200) });
  const { stdout } = await run('body.json', ...AS_PROJECT, '-f', format);
  expect(stdout).toContain('schema.unknown-field');
  expect(stdout).not.toMatch(/ghp_|hunter2/);
});

it.each<[name: string, body: object, error: number, warn: number]>([
  ['clean', GOOD, 0, 0],
  ['warning', { ...GOOD, owner: 'me' }, 0, 1],
  ['error', WITHOUT_LANGUAGES, 1, 1],
  // More than are told of one by one.
  ['flood', { ...GOOD, languages: Array.from({ length: 150 }, () => 1) }, 1, 1],
])('the exit code of %s is that of its findings', async (_name, json, error, warn) => {
  write('PATCH.json', stringifyRecording([exchange({ body: { json: json as never } })]));
  expect((await run('PATCH.json')).code).toBe(error);
  expect((await run('PATCH.json', '--fail-on', 'warn')).code).toBe(warn);
});

it('reports go to their files, relative to the workspace on GitHub, and a summary to the page of the job', async () => {
  write('page.md', 'before\n');
  write('gate/bad.json', WITHOUT_LANGUAGES);
  const env = { GITHUB_STEP_SUMMARY: join(cwd, 'page.md'), GITHUB_WORKSPACE: cwd };
  const args = ['check', 'bad.json', ...AS_PROJECT, '-f', 'github', '-f', 'junit=out/r.xml'];
  const { stdout } = await runSource(args, { cwd: join(cwd, 'gate'), env });
  expect(stdout).toMatch(/^::error file=gate\/bad\.json,line=1,/);
  expect(readFileSync(join(cwd, 'page.md'), 'utf8')).toMatch(/^before\n### Patchgate: failed\n/);
  expect(readFileSync(join(cwd, 'gate/out/r.xml'), 'utf8')).toMatch(/^<\?xml .*\n<testsuites>/);
  const { stdout: none, stderr } = await run(
    'gate/bad.json',
    ...AS_PROJECT,
    '-f',
    'json=j',
    '-f',
    'text=gate',
  );
  expect({ none, stderr }).toEqual({ none: '', stderr: expect.stringContaining('gate') });
});
