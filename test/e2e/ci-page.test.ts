import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { parse } from 'yaml';
import { readAction } from '../support/action.ts';
import { ROOT } from '../support/binary.ts';
import { ACTION, blocksBelow, filesBelow } from '../support/ci-page.ts';
import { loadGithubParser } from '../support/github-parser.ts';
import { runHere } from '../support/run-here.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

interface Workflow {
  jobs: Record<string, { steps: { uses?: string; id?: string; with?: object; run?: string }[] }>;
}

describe('the workflows for GitHub', () => {
  const workflows = blocksBelow('GitHub Actions', 'yaml');

  it("are valid to GitHub's own parser", async () => {
    const { workflowErrors } = await loadGithubParser();
    expect(workflows).toHaveLength(3);
    expect(workflows.map(workflowErrors)).toEqual([[], [], []]);
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
