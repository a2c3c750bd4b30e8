import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readAction } from '../support/action.ts';
import { ACTION, blocksBelow, filesBelow } from '../support/ci-page.ts';
import { loadGithubParser } from '../support/github-parser.ts';
import { runHere } from '../support/run-here.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

interface Workflow {
  jobs: Record<string, { steps: { uses?: string; id?: string; with?: object; run?: string }[] }>;
}

const workflows = blocksBelow('GitHub Actions', 'yaml');

describe('the workflows for GitHub', () => {
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

it('prints what check says of its bodies', async () => {
  const cwd = temporaryFolder();
  const [checkout = '', search = ''] = filesBelow('Check files');
  mkdirSync(join(cwd, 'bodies'));
  writeFileSync(join(cwd, 'bodies/checkout.json'), checkout);
  writeFileSync(join(cwd, 'bodies/search.json'), search);
  const { stdout } = await runHere(['check', 'bodies', '--operation', 'updateProject'], { cwd });
  expect([stdout]).toEqual(blocksBelow('Check files', ''));
});
