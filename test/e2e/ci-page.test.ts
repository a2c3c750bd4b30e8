import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { parse } from 'yaml';
import { readAction } from '../support/action.ts';
import { packed, ROOT, runProgram } from '../support/binary.ts';
import { ACTION, blocksBelow, filesBelow } from '../support/ci-page.ts';
import { loadGithubParser } from '../support/github-parser.ts';
import { runHere } from '../support/run-here.ts';
import { startTarget } from '../support/target.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

interface Workflow {
  jobs: Record<string, { steps: { uses?: string; id?: string; with?: object; run?: string }[] }>;
}

const workflows = blocksBelow('GitHub Actions', 'yaml');
const PROJECT = {
  name: 'Checkout',
  languages: ['GO'],
  environments: [{ id: 1, name: 'Production', isEnabled: true }],
};

describe('the workflows for GitHub', () => {
  it("are valid to GitHub's own parser", async () => {
    const { workflowErrors } = await loadGithubParser();
    expect(workflows).toHaveLength(4);
    expect(workflows.map(workflowErrors)).toEqual([[], [], [], []]);
    expect(workflowErrors((workflows[0] as string).replace('runs-on', 'run-on'))).not.toEqual([]);
  });

  it('give the action what it takes, and ask for what it gives', () => {
    const { inputs, outputs } = readAction();
    const uses = workflows.flatMap((text) =>
      Object.values((parse(text) as Workflow).jobs).flatMap(({ steps }) =>
        steps.filter((step) => step.uses === ACTION),
      ),
    );
    expect(uses).toHaveLength(2);
    for (const step of uses) {
      expect(Object.keys(inputs)).toEqual(expect.arrayContaining(Object.keys(step.with ?? {})));
      expect(step.with).toHaveProperty('files');
    }
    const asked = [...workflows.join('').matchAll(/steps\.patchgate\.outputs\.([\w-]+)/g)].map(
      (match) => match[1],
    );
    expect(asked).toContain('sarif-file');
    expect(Object.keys(outputs)).toEqual(expect.arrayContaining(asked));
    expect(uses.some(({ id }) => id === 'patchgate')).toBe(true);
  });
});

it('the job that comments a pull request fails, and says what is lost', async () => {
  const service = await startTarget((_req, res) => res.end(JSON.stringify(PROJECT)));
  const cwd = temporaryFolder();
  const stub = (name: string, text: string) =>
    writeFileSync(join(cwd, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  stub('npx', `shift 2; exec "${process.execPath}" "${packed('dist/cli.js')}" "$@"`);
  stub('gh', 'echo "$@"; cat plan.md');
  mkdirSync(join(cwd, 'bodies'));
  writeFileSync(join(cwd, 'bodies/checkout.json'), JSON.stringify({ ...PROJECT, environments: [] }));
  const job = workflows.map((text) => (parse(text) as Workflow).jobs.plan).find(Boolean);
  const [plan = '', fallback = '', comment = ''] = (job?.steps ?? [])
    .flatMap(({ run = '' }) => run)
    .slice(-3);
  const env = { PATH: `${cwd}:${process.env.PATH}`, TARGET: `${service.url}/api/v2`, TOKEN: 'secret' };
  expect((await runProgram('bash', ['-c', plan], { cwd, env })).code).toBe(3);
  expect(service.received[0]?.headers.authorization).toBe('Bearer secret');
  const written = async () => {
    expect((await runProgram('bash', ['-c', fallback], { cwd, env })).code).toBe(0);
    return readFileSync(join(cwd, 'plan.md'), 'utf8');
  };
  const number = /\$\{\{ github\.event\.number \}\}/;
  expect(comment).toMatch(number);
  expect(await written()).not.toContain('No plan');
  const { stdout } = await runProgram('bash', ['-c', comment.replace(number, '7')], { cwd, env });
  expect(stdout).toMatch(
    /^pr comment 7 .*\n### Patchgate: this PATCH deletes 1 environment of project 42 "Checkout"\n/,
  );

  writeFileSync(join(cwd, 'bodies/checkout.json'), '{');
  expect((await runProgram('bash', ['-c', plan], { cwd, env })).code).toBe(2);
  expect(await written()).toContain('No plan could be made of bodies/checkout.json');
});

it('the job for GitLab is that of the file', () => {
  const file = readFileSync(join(ROOT, '.gitlab/patchgate.yml'), 'utf8');
  expect(file.slice(file.indexOf('patchgate:\n'))).toBe(blocksBelow('GitLab', 'yaml').join());
});

describe('what the page prints', () => {
  const check = async (cwd: string, ...args: string[]) => (await runHere(['check', ...args], { cwd })).stdout;
  const [requests = ''] = filesBelow('What it reads');

  it('of requests', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'requests.jsonl'), requests);
    expect([await check(cwd, 'requests.jsonl')]).toEqual(blocksBelow('What it reads', ''));
  });

  it('of bodies and their baseline', async () => {
    const cwd = temporaryFolder();
    const [config = '', checkout = '', search = ''] = filesBelow('Start today');
    const [first, written, second] = blocksBelow('Start today', '');
    mkdirSync(join(cwd, 'bodies'));
    writeFileSync(join(cwd, 'patchgate.config.json'), config);
    writeFileSync(join(cwd, 'bodies/checkout.json'), checkout);
    writeFileSync(join(cwd, 'bodies/search.json'), search);
    expect(await check(cwd, 'bodies')).toBe(first);
    expect(await check(cwd, 'bodies', '--write-baseline')).toBe(written);
    writeFileSync(join(cwd, 'bodies/search.json'), search.replace('["GO"]', '["GO", "python"]'));
    expect(await check(cwd, 'bodies', '--baseline', 'patchgate-baseline.json')).toBe(second);
  });

  it('of a suppression', async () => {
    // Before it expires.
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-22') });
    onTestFinished(() => void vi.useRealTimers());
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'requests.jsonl'), requests);
    writeFileSync(join(cwd, 'patchgate.config.json'), filesBelow('Suppressions')[0] as string);
    expect(await check(cwd, 'requests.jsonl')).toContain(blocksBelow('Suppressions', '')[0]);
  });

  it('of a change of the schemas', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'requests.jsonl'), requests);
    cpSync(join(ROOT, 'schemas'), join(cwd, 'new'), { recursive: true });
    const file = join(cwd, 'new/update-project.json');
    const schema = JSON.parse(readFileSync(file, 'utf8'));
    schema.properties.name.minLength = 10;
    writeFileSync(file, JSON.stringify(schema).replace('"JAVASCRIPT"', '"JAVASCRIPT","COBOL"'));
    const contracts = ['--contract', 'new', '--against-contract', join(ROOT, 'schemas')];
    expect([await check(cwd, 'requests.jsonl', ...contracts)]).toEqual(
      blocksBelow('A change of the schemas', ''),
    );
  });
});
