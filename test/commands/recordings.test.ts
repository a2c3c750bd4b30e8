import { copyFileSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it } from 'vitest';
import { openStore } from '../../src/recordings/store.ts';
import { exchange } from '../support/exchanges.ts';
import { writeRecording } from '../support/recorded-folder.ts';
import { filesBelow, find, recordAll } from '../support/recordings.ts';
import { runSource } from '../support/run-here.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const SAMPLES = fileURLToPath(new URL('../recordings/har/samples/', import.meta.url));
const GITHUB = `ghp_${'a1B2'.repeat(9)}`;

let cwd: string;
let recordings: string;
beforeEach(() => {
  cwd = temporaryFolder();
  recordings = join(cwd, 'recordings');
});

const run = (...args: string[]) => runSource(['recordings', ...args], { cwd });
const record = (name: string, ...exchanges: Parameters<typeof recordAll>[2]) =>
  recordAll(recordings, name, exchanges);
const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();

/** Bodies of the answers that a recording has for a GET of a path. */
async function answers(name: string, path: string, method = 'GET') {
  const store = await openStore(recordings, name);
  try {
    return find(store, method, path).map(({ response }) => response.body);
  } finally {
    await store.close();
  }
}

/** An archive with one entry for each URL; its answers are numbered. */
function archive(name: string, ...urls: string[]): string {
  const entries = urls.map((url, i) => ({
    startedDateTime: at(i),
    request: { method: 'GET', url },
    response: { status: 200, headers: [], content: { text: `${name} ${i}` } },
  }));
  writeFileSync(join(cwd, name), JSON.stringify({ log: { entries } }));
  return name;
}

describe('recordings list', () => {
  it('has a line for each recording; what is broken is named with line and column, and the exit code is 2', async () => {
    await record('a', exchange({ recordedAt: at(0) }), exchange({ method: 'GET', path: '/x' }));
    await record('b');
    const { code, stdout } = await run('list');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^a +2 +GET 1, PATCH 1 +2026-01-01 +2026-11-20$/m);
    expect(stdout).toMatch(/^b +0 +- +- +-$/m);
    writeFileSync(join(recordings, 'a/x/GET.json'), '{');
    const broken = await run('list');
    expect(broken.code).toBe(2);
    expect(broken.stdout).toMatch(/^a +\? +recordings\/a\/x\/GET.json:1:2: [\s\S]*^b +0/m);
  });
});

describe('recordings show', () => {
  beforeEach(async () => {
    // The second of /a replaced another, and is newer than what follows it.
    const of = (second: number, path: string, status: number, text: string) =>
      exchange({ path, status, answer: { text }, recordedAt: at(second) });
    const odd = exchange({
      path: '/c',
      method: 'GET',
      query: 'token=SECRET',
      session: 'one',
      recordedAt: at(9),
    });
    writeRecording(join(recordings, 'x'), [
      of(2, '/b', 404, 'b'),
      of(3, '/a', 200, '1'),
      of(1, '/a', 200, '2'),
      odd,
    ]);
  });

  it('lists exchanges in the order of recording, that of a path as in its file', async () => {
    const { stdout } = await run('show', 'x');
    expect(stdout.split('\n').map((line) => line.replace(/ +/g, ' ').trim())).toEqual([
      '1 PATCH 404 2026-01-01 00:00:02 /b',
      '2 PATCH 200 2026-01-01 00:00:03 /a',
      '3 PATCH 200 2026-01-01 00:00:01 /a',
      '4 GET 200 2026-01-01 00:00:09 /c?token=[redacted] [one]',
      '',
    ]);
  });

  it.each([
    [
      ['--path', '/a*'],
      [2, 3],
    ],
    [['--method', 'get'], [4]],
    [['--status', '4*'], [1]],
    [
      ['3', '1'],
      [1, 3],
    ],
  ])('selects by %j', async (args, numbers) => {
    const { stdout } = await run('show', 'x', ...args);
    expect(stdout.match(/^(?: +|#)\d+(?= {2})/gm)?.map((one) => Number(one.replace('#', '')))).toEqual(
      numbers,
    );
  });

  it('shows some in full', async () => {
    await record('y', exchange({ body: { json: { a: 1 } }, answer: { base64: '////' } }));
    const { stdout } = await run('show', 'y', '1');
    expect(stdout).toMatch(
      /^#1 {2}recorded 2026-11-20T12:00:00.000Z, took 12 ms\nPATCH .*\n[\s\S]*{\n {2}"a": 1\n}/,
    );
    expect(stdout).toContain('200 OK\ncontent-type: application/json\n\n(3 bytes that are no text)\n');
  });

  it.each([
    [['x', '1', '5'], 'x holds no exchange 5'],
    [['x', '1', 'abc'], 'abc is no number'],
    [['x', '--method', 'PUT'], 'x holds no exchange like that'],
    [['xx'], 'did you mean "x"?'],
  ])('refuses %j', async (args, message) => {
    const { code, stdout, stderr } = await run('show', ...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
  });
});

describe('recordings prune', () => {
  it('removes what is selected, and folders that are empty then', async () => {
    await record(
      'x',
      exchange({ path: '/a/b' }),
      exchange({ path: '/a/b', status: 500 }),
      exchange({ path: '/c' }),
    );
    expect((await run('prune', 'x', '--status', '5*', '-y')).stdout).toBe(
      'removed 1 of 3 exchanges of recordings/x\n',
    );
    await run('prune', 'x', '--path', '/a/b', '-y');
    expect(Object.keys(filesBelow(join(recordings, 'x')))).toEqual(['c/PATCH.json']);
    expect(existsSync(join(recordings, 'x/a'))).toBe(false);
    await run('prune', 'x', '--path', '*', '-y');
    expect(existsSync(join(recordings, 'x'))).toBe(false);
  });

  it('removes nothing without a selection, or --yes', async () => {
    await record('x', exchange());
    expect((await run('prune', 'x', '-y')).stderr).toContain('nothing says which exchanges are to go');
    expect((await run('prune', 'x', '--path', '*')).stdout).toBe(
      'would remove 1 of 1 exchange of recordings/x; --yes does\n',
    );
    expect(await answers('x', exchange().request.path, 'PATCH')).toHaveLength(1);
  });
});

describe('recordings scrub', () => {
  const OF_ALL_KINDS = exchange({
    path: '/a',
    query: 'token=s3cret',
    body: { json: { users: [{ email: 's3cret' }] } },
    headers: { 'set-cookie': 's3cret', 'content-type': 'application/json' },
    answer: { text: `{ "password": "s3cret", "b": "${GITHUB}" }` },
  });

  it('redacts all kinds of secrets, names their places and not the values, and is clean then', async () => {
    writeRecording(join(recordings, 'bad'), [exchange({ path: '/a' }), OF_ALL_KINDS]);
    await record('good', exchange({ path: '/b' }));
    const before = filesBelow(recordings);
    const checked = await run('scrub', '--check', '--redact', '/users/*/email');
    expect(checked.code).toBe(1);
    expect(checked.stdout).toContain('secrets at 4 places in 1 of 2 recordings');
    expect(filesBelow(recordings)).toEqual(before);
    const { code, stdout } = await run('scrub', '--redact', '/users/*/email');
    expect({ code, lines: stdout.split('\n') }).toEqual({
      code: 0,
      lines: [
        ...[
          'request/query',
          'request/body/json/users/0/email',
          'response/headers/set-cookie',
          'response/body/text',
        ].map((found) => `recordings/bad/a/PATCH.json: /exchanges/1/${found}`),
        ...['redacted 4 places in 1 of 2 recordings', ''],
      ],
    });
    expect(JSON.stringify(filesBelow(recordings))).not.toMatch(/s3cret|ghp_/);
    expect(await run('scrub', '--check')).toMatchObject({ code: 0, stdout: 'no secrets in 2 recordings\n' });
  });

  it('moves a file whose path holds a secret', async () => {
    writeRecording(join(recordings, 'x'), [exchange({ path: `/hooks/${GITHUB}` })]);
    await run('scrub', 'x');
    expect(Object.keys(filesBelow(join(recordings, 'x'))).join()).not.toContain('ghp');
    expect(await run('scrub', '--check')).toMatchObject({ code: 0 });
    expect((await run('show', 'x')).stdout).toContain('/hooks/[redacted');
  });

  it('moves those exchanges of a file whose own bodies say that its path is a secret', async () => {
    const ofCard = (body: Record<string, string>) =>
      exchange({ path: '/cards/AB12CD34', body: { json: body } });
    writeRecording(join(recordings, 'x'), [ofCard({ active: 'yes' }), ofCard({ voucher: 'AB12CD34' })]);
    const scrub = () => run('scrub', 'x', '--redact', 'voucher');
    const before = filesBelow(join(recordings, 'x'));
    expect(await scrub()).toMatchObject({ code: 0 });
    const after = filesBelow(join(recordings, 'x'));
    const texts = Object.values(after).join();
    expect(texts.match(/"recordedAt"/g)).toHaveLength(2);
    expect(await run('list')).toMatchObject({ code: 0, stdout: expect.stringContaining('2') });
    // As a kill between the two files leaves it.
    const [file, text] = Object.entries(before)[0] as [string, string];
    writeFileSync(join(recordings, 'x', file), text);
    await scrub();
    expect(filesBelow(join(recordings, 'x'))).toEqual(after);
  });

  it('finds what a link leads to', async () => {
    writeRecording(join(cwd, 'elsewhere'), [OF_ALL_KINDS]);
    mkdirSync(join(recordings, 'x/a'), { recursive: true });
    symlinkSync(join(cwd, 'elsewhere/a/PATCH.json'), join(recordings, 'x/a/PATCH.json'));
    symlinkSync('/nowhere', join(recordings, 'x/a/GET.json'));
    expect(await run('scrub', '--check')).toMatchObject({ code: 1 });
  });

  it('fails at what is broken, or is not there', async () => {
    expect((await run('scrub', '--check')).stderr).toContain('there are no recordings in recordings');
    await record('a', exchange({ path: '/x' }));
    writeFileSync(join(recordings, 'a/x/PATCH.json'), '');
    expect(await run('scrub')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('a/x/PATCH.json:1:1'),
    });
    expect((await run('scrub', 'c')).stderr).toContain('there is no recording "c"');
  });
});

describe('recordings export and import', () => {
  it('give the same files, sequences included, and twice is once', async () => {
    const all = [
      exchange({ path: '/a', body: { json: { a: 1 } }, answer: { json: 1 }, recordedAt: at(1) }),
      exchange({ path: '/a', body: { json: { a: 1 } }, recordedAt: at(3) }),
      exchange({ path: '/b', method: 'GET', answer: { base64: Buffer.alloc(9000, 255).toString('base64') } }),
    ];
    await record('x', ...all);
    writeFileSync(join(cwd, 'x.har'), (await run('export', 'x')).stdout);
    for (const says of ['3 exchanges into recordings/y', '0 exchanges into recordings/y; it had 3 of them']) {
      const { stdout } = await run('import', 'x.har', '--recording', 'y');
      expect(stdout).toBe(`imported ${says}\n`);
      expect(filesBelow(join(recordings, 'y'))).toEqual(filesBelow(join(recordings, 'x')));
    }
  });

  it("record what a browser's archive holds, redacted, and count what is skipped", async () => {
    const { stdout } = await run('import', join(SAMPLES, 'browser.json'), '--recording', 'x');
    expect(stdout).toBe(
      [
        'imported 2 exchanges into recordings/x',
        "skipped: 1 the response's body is not in the file, 1 not HTTP (wss:), 2 no response, 1 not HTTP (data:), 1 not HTTP (chrome-extension:)",
        '',
      ].join('\n'),
    );
    expect(await answers('x', '/api/v2/accounts/current/features/7', 'PATCH')).toEqual([
      { text: '{"id":7.0}\n' },
    ]);
    expect(JSON.stringify(filesBelow(recordings))).not.toContain('SECRET');
  });

  it('record the answers to one request in the order of their start', async () => {
    const log = JSON.parse(readFileSync(join(cwd, archive('t.har', 'http://h/a', 'http://h/a')), 'utf8')).log;
    writeFileSync(join(cwd, 't.har'), JSON.stringify({ log: { entries: log.entries.reverse() } }));
    await run('import', 't.har', '--recording', 'x');
    expect(await answers('x', '/a')).toEqual([{ text: 't.har 0' }, { text: 't.har 1' }]);
  });

  it("record what a proxy's archive holds", async () => {
    copyFileSync(join(SAMPLES, 'proxy.json'), join(cwd, 'proxy.har'));
    expect((await run('import', 'proxy.har', '--recording', 'x')).stdout).toContain('imported 2 exchanges');
  });

  it.each([
    ['https://one.example/', ['/api/a', '/b']],
    ['https://*.example/api/', ['/api/a', '/api/c']],
    ['/api/', ['/api/a', '/api/c']],
  ])('take only %s', async (only, paths) => {
    const file = archive(
      'f.har',
      'https://one.example/api/a',
      'https://one.example/b',
      'https://two.example/api/c',
    );
    await run('import', file, '--recording', 'x', '--only', only);
    for (const path of ['/api/a', '/b', '/api/c'])
      expect(await answers('x', path)).toHaveLength(paths.includes(path) ? 1 : 0);
  });

  it.each([
    ['{"log":{"entries":\n{}}}', 'bad.har:2:1: /log/entries must be a list'],
    ['{"log":{"entries":[]}}', 'nothing was imported: there are no entries'],
  ])('record nothing of %j', async (text, message) => {
    writeFileSync(join(cwd, 'bad.har'), text);
    const { code, stderr } = await run('import', archive('good.har'), 'bad.har');
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(filesBelow(recordings)).toEqual({});
  });
});
