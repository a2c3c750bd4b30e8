/** What keeps the program from its work is one message: what, where, what to do. Exit code 2, nothing half written. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Ended, ROOT, type RunOptions, runBinary, startBinary } from '../support/binary.ts';
import { PROJECT_PATH } from '../support/e2e-bodies.ts';
import { runHere } from '../support/run-here.ts';
import { freePort, startTarget, type Target } from '../support/target.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const TARGET = 'http://127.0.0.1:9';

let target: Target;
beforeAll(async () => {
  target = await startTarget();
});

/** Runs it and tells what it said, when it has ended as it should. */
async function complaint(args: string[], options: RunOptions = {}): Promise<string> {
  return complaintIn(await runHere(args, options));
}

function complaintIn({ code, stdout, stderr }: Ended): string {
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/^patchgate: [^\n]+\n(?: {2}[^\n]+\n)?$/);
  expect(stderr).not.toMatch(/\bat .*:\d+:\d+/);
  return stderr;
}

/** A folder with one file. */
function folderWith(name: string, text: string): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, name), text);
  return folder;
}

it.each(['process.exit(0);', 'await new Promise(() => {});'])(
  'a config file that does %s ends no check with 0',
  async (text) => {
    const cwd = folderWith('patchgate.config.mjs', text);
    const says = 'patchgate.config.mjs ends the process: it calls process.exit';
    expect(complaintIn(await runBinary(['check', 'x'], { cwd }))).toContain(says);
  },
);

describe('flags', () => {
  it.each([[['proxy', TARGET, '--recording', '../outside', '--record'], 'outside']] as [string[], string][])(
    '%j, in a process of its own',
    async (args, says) => {
      const cwd = temporaryFolder();
      expect(complaintIn(await runBinary(args, { cwd }))).toContain(says);
      expect(readdirSync(cwd)).toEqual([]);
    },
  );

  it.each([
    [['proxy'], 'no target is given'],
    [['proxy', 'http://user:secret@example.com'], 'credentials'],
    [['proxy', `${TARGET}/api/v2/accounts/current`], "end the target's URL before /accounts"],
    [['proxy', TARGET, '--target-ca', 'ca.crt'], 'speaks no TLS'],
    [['proxy', 'https://127.0.0.1:9', '--target-ca', 'no.crt'], 'no.crt'],
    [['proxy', TARGET, '--tls-cert', 'no.crt'], '--tls-key'],
    [['fake', '--seed', 'missing.json'], 'missing.json'],
    [['proxy', TARGET, '--config', 'no.json'], 'no.json'],
    [['proxy', 'staging.example.com'], 'it takes an http or https URL'],
    [['proxy', 'ftp://staging.example.com'], 'it takes an http or https URL'],
    [['proxy', 'http://'], 'it takes an http or https URL'],
    [['check', 'missing.json'], 'missing.json'],
    [['init', '--target', 'foo'], 'is no http or https URL'],
    [['check', 'x', '--path', '/a', '--path', '/b'], '--path is given more than once'],
  ] as [string[], string | RegExp][])('%j', async (args, says) => {
    const cwd = temporaryFolder();
    expect(await complaint(args, { cwd })).toMatch(says);
    expect(readdirSync(cwd)).toEqual([]);
  });

  it('name a rule that there is', async () => {
    const cwd = folderWith(
      'patchgate.config.json',
      '{"overrides": [{"rules": {"draft.id-matches-pth": "off"}}]}',
    );
    for (const command of ['proxy', 'config'])
      expect(await complaint([command, '--target', TARGET], { cwd })).toContain('draft.id-matches-path');
  });

  it('do not show credentials of a target again', async () => {
    expect(await complaint(['proxy', 'http://user:S3CRET@example.com'])).not.toContain('S3CRET');
  });
});

describe('where it is to listen', () => {
  it('a port in use', async () => {
    const said = await complaint(['proxy', TARGET, '--port', String(target.port)]);
    expect(said).toContain(`127.0.0.1:${target.port}`);
    expect(said).toContain('--port');
  });

  it.each([
    ['127.0.0.1', 'http://127.1:PORT/api/v2'],
    ['127.0.0.1', 'https://LOCALHOST:PORT/'],
    ['127.0.0.1', 'http://[::ffff:127.0.0.1]:PORT'],
    ['127.0.0.2', 'http://127.0.0.2:PORT'],
    ['0.0.0.0', 'http://127.9.8.7:PORT'],
    ['127.0.0.1', 'http://0.0.0.0:PORT'],
    ['127.0.0.1', 'http://[::]:PORT'],
    ['localhost', 'http://localhost:PORT'],
  ])('%s, where its target %s leads', async (host, to) => {
    const port = String(await freePort());
    const args = ['proxy', to.replace('PORT', port), '--host', host, '--port', port];
    expect(await complaint(args)).toContain(`is this server itself: it leads to port ${port}`);
  });

  it('an address that is not of this machine', async () => {
    expect(await complaint(['proxy', TARGET, '--host', '192.0.2.1'])).toContain('--host');
  });
});

describe('a folder', () => {
  it('that cannot be written to', async () => {
    // A file in its place: not even root can make a folder of that.
    const cwd = folderWith('recordings', 'a file');
    const said = await complaint(['proxy', TARGET, '--record'], { cwd });
    expect(said).toContain('recordings');
    expect(said).toContain('--recordings');
    const { code, stderr } = await runBinary(['demo', '-p', '0'], { cwd });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('demo --recordings FOLDER'),
    });
    expect(readFileSync(join(cwd, 'recordings'), 'utf8')).toBe('a file');
  });
});

describe('a contract', () => {
  const contract = JSON.parse(readFileSync(join(ROOT, 'schemas', 'contract.json'), 'utf8')) as {
    operations: Record<string, { schema: string; rules: unknown[]; canary: { pointer: string } }>;
  };
  type Edit = (copy: typeof contract) => void;
  /** A folder with a contract of one operation, changed. */
  const folderOf = (edit: Edit, schema: unknown) => {
    const { updateProject } = structuredClone(contract.operations);
    const copy = { ...contract, operations: { updateProject } } as typeof contract;
    edit(copy);
    const folder = folderWith('contract.json', JSON.stringify(copy));
    writeFileSync(
      join(folder, updateProject?.schema as string),
      typeof schema === 'string' ? schema : JSON.stringify(schema),
    );
    return folder;
  };
  const own = JSON.parse(readFileSync(join(ROOT, 'schemas', 'update-project.json'), 'utf8')) as object;

  it.each([
    ['whose schema does not compile', () => undefined, { ...own, type: 'objekt' }, 'update-project.json'],
    [
      'that names an unknown rule',
      (copy) => copy.operations.updateProject?.rules.push('no.rule'),
      own,
      'no.rule',
    ],
    ['whose schema checks nothing', () => undefined, {}, 'canary'],
  ] as [string, Edit, unknown, string][])('%s', async (_, edit, schema, says) => {
    expect(await complaint(['proxy', TARGET, '--contract', folderOf(edit, schema)])).toContain(says);
  });

  it('that is no JSON', async () => {
    const folder = folderWith('contract.json', '{"operations": }');
    expect(await complaint(['proxy', TARGET, '--contract', folder])).toContain('contract.json');
  });
});

describe('a broken recording', () => {
  const BROKEN = [
    '',
    '{"formatVersion": 1, "exchanges": [',
    '{"formatVersion": 99, "exchanges": []}',
    'null',
  ].map((text, i) => ({ text, path: PROJECT_PATH.replace(/\d+$/, String(100 + i)) }));
  const body = '{"name":"N","languages":["GO"],"environments":[{"id":1,"name":"A","isEnabled":true}]}';
  const patch = { method: 'PATCH', headers: { 'content-type': 'application/json' }, body };

  it('is never taken for empty', async () => {
    const cwd = temporaryFolder();
    const fileOf = (path: string) =>
      join(cwd, 'recordings', 'default', ...path.slice(1).split('/'), 'PATCH.json');
    for (const { text, path } of BROKEN) {
      mkdirSync(dirname(fileOf(path)), { recursive: true });
      writeFileSync(fileOf(path), text);
    }
    const replay = await runBinary(['replay', '--port', '0'], { cwd });
    expect(replay.code).toBe(2);
    expect(replay.stderr).toContain('PATCH.json');

    const gate = await startBinary(['proxy', target.url, '--record'], { cwd });
    for (const { path } of BROKEN) expect((await fetch(gate.url + path, patch)).status).toBe(200);
    const { code, stderr } = await gate.stop();
    expect(code).toBe(2);
    expect(stderr).toContain('PATCH.json');
    for (const { text, path } of BROKEN) expect(readFileSync(fileOf(path), 'utf8')).toBe(text);
  });
});
