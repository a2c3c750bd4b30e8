/** Contract and config change while the gate runs. */
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT, type Running, runBinary, runProgram, startBinary } from '../support/binary.ts';
import { contractFolder } from '../support/contract-folder.ts';
import { GOOD_PROJECT, PROJECT_PATH } from '../support/e2e-bodies.ts';
import { startTarget } from '../support/target.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const CONFIG = 'patchgate.config.json';
/** A folder with a config file, and a proxy in it that no terminal ends. */
async function startIn(file: string, text: string, ...args: string[]) {
  const cwd = temporaryFolder();
  const write = (content: string, name = file) => writeFileSync(join(cwd, name), content);
  write(text);
  const target = await startTarget();
  const gate = await startBinary(['proxy', target.url, '--no-state', ...args], { cwd, detached: true });
  return { cwd, write, target, gate, reloads: reloadsOf(gate) };
}

/** Waits each time for one more notice of a reload, good or bad, and gives it. */
function reloadsOf(gate: Running) {
  let read = 0;
  return async (signal?: 'SIGHUP'): Promise<string> => {
    if (signal) process.kill(gate.pid, signal);
    await gate.said(new RegExp(`^[^]{${read},}?^patchgate: (?:not )?reloaded`, 'm'), 'stderr');
    const left = gate.stderr().slice(read);
    const [notice = ''] = /^patchgate: (?:not )?reloaded.*\n(?: {2}.*\n)*/m.exec(left) ?? [];
    read += left.indexOf(notice) + notice.length;
    return notice;
  };
}

/** Passes over those of a file or folder that is seen half written: who writes it may have to wait. */
async function until(reloads: () => Promise<string>, text: string): Promise<void> {
  for (let said = ''; !said.includes(text); ) said = await reloads();
}

const json = (content: unknown) => JSON.stringify(content);
const HEADERS = { 'content-type': 'application/json' };

async function patch({ url }: Running, body: unknown = { name: 'Checkout' }): Promise<number> {
  const response = await fetch(url + PROJECT_PATH, { method: 'PATCH', headers: HEADERS, body: json(body) });
  await response.text();
  return response.status;
}

/** A rule of one's own: a project must not have that name. */
const ruleAgainst = (name: string) => `export default {
  name: 'team.name', severity: 'error', basis: 'inferred', says: 'no such name', source: 'the handbook',
  *check({ body }) { if (body.name === '${name}') yield { pointer: '/name', message: 'not ${name}' }; },
  examples: { passes: [{ body: {} }], fails: [{ body: { name: '${name}' }, pointers: ['/name'] }] },
};`;

describe.concurrent('on SIGHUP', () => {
  it('takes a good config, keeps it where the next is broken, and takes the mended one', async () => {
    const { write, gate, reloads, target } = await startIn(
      CONFIG,
      json({ validation: 'warn' }),
      '--log',
      'json',
    );
    expect(await patch(gate)).toBe(200);
    write(json({ validation: 'enforce' }));
    expect(await reloads('SIGHUP')).toContain('patchgate: reloaded: validation enforce, guard on\n');
    expect(await patch(gate)).toBe(422);
    for (const [broken, why] of [
      ['{"validation": "enforc"}', 'invalid value "enforc" for validation in patchgate.config.json:1:16'],
      ['{"validation": ', 'patchgate.config.json:1:'],
      ['{"rules": {"schema.typ": "off"}}', 'schema.typ'],
      ['{"contract": "nowhere"}', 'cannot read the contract nowhere'],
    ] as const) {
      write(broken);
      const said = await reloads('SIGHUP');
      expect(said).toContain('patchgate: not reloaded, all stays in force as it was: ');
      expect(said).toContain(why);
      expect(await patch(gate)).toBe(422);
    }
    write(json({ validation: 'off', port: 1, faults: ['GET status=503'] }));
    expect(await reloads('SIGHUP')).toContain('changed, and in force only after a restart: faults\n');
    expect(await patch(gate)).toBe(200);
    const { stdout } = await gate.stop();
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const logged = lines.filter(({ event }) => event === 'reload');
    expect(logged.map(({ outcome }) => outcome)).toEqual(['done', ...Array(4).fill('failed'), 'done']);
    expect(logged.at(0)).toMatchObject({ validation: 'enforce', guard: 'on', needRestart: [] });
    expect(logged.at(1)).toMatchObject({
      error: expect.stringContaining('enforc'),
      hint: expect.any(String),
    });
    expect(logged.at(-1)).toMatchObject({ validation: 'off', needRestart: ['faults'] });
    expect(target.received).toHaveLength(2);
  });

  it('runs a config program again, with the modules that it imports', async () => {
    const { write, gate, reloads } = await startIn(
      'patchgate.config.mjs',
      'export default { customRules: {} };',
    );
    const body = { ...GOOD_PROJECT, name: 'X' };
    expect(await patch(gate, body)).toBe(200);
    write(ruleAgainst('X'), 'rule.mjs');
    write("import rule from './rule.mjs';\nexport default { customRules: { updateProject: [rule] } };");
    await reloads('SIGHUP');
    expect(await patch(gate, body)).toBe(422);
    write(ruleAgainst('Y'), 'rule.mjs');
    await reloads('SIGHUP');
    expect(await patch(gate, body)).toBe(200);
    write('export default {\n  customRules: {}, oops(\n};');
    expect(await reloads('SIGHUP')).toContain(
      'not reloaded, all stays in force as it was: patchgate.config.mjs:',
    );
    write('\nthrow new Error("not today");');
    expect(await reloads('SIGHUP')).toContain('patchgate.config.mjs:2:7: not today');
    expect(await patch(gate, body)).toBe(200);
  });

  it('is sent, and told of, as the documentation has it', async () => {
    const page = readFileSync(join(ROOT, 'docs/proxy.md'), 'utf8');
    const [, section = ''] = /^## Stopping and changing$(.*?)^## /ms.exec(page) ?? [];
    const { write, gate, reloads } = await startIn(CONFIG, '{}');
    write(json({ timeout: '40s' }));
    const [, command] = /^ExecReload=(.*)$/m.exec(section) ?? [];
    await runProgram('sh', ['-c', command as string], { env: { MAINPID: String(gate.pid) } });
    const said = await reloads();
    expect(said).toContain('after a restart: timeout');
    expect(section).toContain(`\`\`\`\n${said}\`\`\``);
    const [, watching] = /^npx patchgate proxy \S+ (.*)$/m.exec(section) ?? [];
    expect(watching).toBe('--watch');
  });

  it('loses no request under load, and judges none by half of a config', async () => {
    const [a, b] = [contractFolder(), contractFolder()];
    const configs = {
      a: { contract: a, rules: { 'schema.type': 'error', 'schema.unknown-field': 'off' } },
      b: { contract: b, rules: { 'schema.type': 'off', 'schema.unknown-field': 'error' } },
    };
    const { write, gate, reloads } = await startIn(CONFIG, json(configs.a), '--log', 'off');
    const found = new Map<string, number>();
    let isOver = false;
    const client = async () => {
      while (!isOver) {
        const url = `${gate.url}/workspaces/1/flags/a`;
        const response = await fetch(url, {
          method: 'PUT',
          headers: HEADERS,
          body: '{"on":"yes","extra":1}',
        });
        const { findings } = (await response.json()) as { findings: { rule: string }[] };
        const rules = `${response.status} ${findings.map(({ rule }) => rule).join()}`;
        found.set(rules, (found.get(rules) ?? 0) + 1);
      }
    };
    const clients = Array.from({ length: 8 }, client);
    for (let i = 0; i < 20; i++) {
      write(json(i % 2 === 0 ? configs.b : configs.a));
      await reloads('SIGHUP');
    }
    isOver = true;
    await Promise.all(clients);
    expect([...found.keys()].sort()).toEqual(['422 schema.type', '422 schema.unknown-field']);
  });
});

describe.concurrent('with --watch', () => {
  it('follows the config file, however it is replaced', async () => {
    const { cwd, write, gate, reloads } = await startIn(CONFIG, json({ validation: 'warn' }), '--watch');
    write(json({ validation: 'enforce' }));
    await until(reloads, 'reloaded: validation enforce');
    expect(await patch(gate)).toBe(422);
    write(json({ validation: 'off' }), 'other');
    renameSync(join(cwd, 'other'), join(cwd, CONFIG));
    await until(reloads, 'reloaded: validation off');
    write('{');
    await until(reloads, 'not reloaded');
    write(json({ validation: 'warn' }));
    await until(reloads, 'reloaded: validation warn');
    expect(await patch(gate)).toBe(200);
  });

  it('follows the folder of the contract, and that which takes its place', async () => {
    const cwd = temporaryFolder();
    const folder = join(cwd, 'contract');
    cpSync(contractFolder(), folder, { recursive: true });
    const target = await startTarget();
    const args = ['proxy', target.url, '--no-state', '--contract', folder, '--watch'];
    const gate = await startBinary(args, { cwd, detached: true });
    const reloads = reloadsOf(gate);
    const put = async () => {
      const url = `${gate.url}/workspaces/1/flags/a`;
      return (await fetch(url, { method: 'PUT', headers: HEADERS, body: '{"on":true,"more":1}' })).status;
    };
    const schema = readFileSync(join(folder, 'put-flag.json'), 'utf8');
    const before = await put();
    writeFileSync(join(folder, 'put-flag.json'), schema.replace('"required"', '"required"; '));
    await until(reloads, 'not reloaded');
    expect(await put()).toBe(before);
    mkdirSync(join(cwd, 'next'));
    cpSync(folder, join(cwd, 'next'), { recursive: true });
    writeFileSync(
      join(cwd, 'next', 'put-flag.json'),
      schema.replace('"required": [', '"maxProperties": 1, "required": ['),
    );
    renameSync(folder, join(cwd, 'before'));
    renameSync(join(cwd, 'next'), folder);
    await until(reloads, 'patchgate: reloaded');
    expect([before, await put()]).toEqual([200, 422]);
    writeFileSync(join(folder, 'put-flag.json'), schema);
    await until(reloads, 'patchgate: reloaded');
    expect(await put()).toBe(200);
    rmSync(join(cwd, 'before'), { recursive: true });
  });

  it('refuses to start where there is nothing to watch', async () => {
    expect(await runBinary(['fake', '--watch', '--port', '0'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(
        'patchgate: --watch: there is no config file, and no contract of your own\n',
      ),
    });
  });
});

describe.concurrent('a stop', () => {
  it.each([
    ['within the timeout lets a slow answer end', '30s', 200, 'waiting for 1 request, 30s at most'],
    [
      'past the timeout cuts it off, and says that it was the gate',
      '400ms',
      0,
      '1 request cut off: not over within 0.4s',
    ],
  ])('%s', async (_, timeout, status, said) => {
    let resolve: (res: ServerResponse) => void = () => undefined;
    const asked = new Promise<ServerResponse>((done) => {
      resolve = done;
    });
    const target = await startTarget((_req, res) => resolve(res));
    const gate = await startBinary(['proxy', target.url, '--no-state', '--shutdown-timeout', timeout]);
    const answered = fetch(`${gate.url}/slow`).then(
      (response) => response.status,
      () => 0,
    );
    const res = await asked;
    const ended = gate.stop();
    await gate.said(said, 'stderr');
    if (status === 200) res.end('late');
    expect(await answered).toBe(status);
    const { code, stdout } = await ended;
    expect(code).toBe(0);
    expect(stdout).toContain(`GET /slow ${status === 200 ? '200 not judged target' : '- not judged gate'}`);
    expect(stdout.includes(': Patchgate was stopped before the answer was complete')).toBe(status !== 200);
    expect(stdout).not.toContain('client');
  });
});
