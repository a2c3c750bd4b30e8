import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readAction } from './support/action.ts';
import { cleanUp, ROOT } from './support/binary.ts';
import { ACTION, yamlBelow } from './support/ci-page.ts';
import { loadGithubParser } from './support/github-parser.ts';

afterAll(cleanUp);

interface Workflow {
  jobs: Record<string, { steps: { uses?: string; id?: string; with?: object; run?: string }[] }>;
}

describe('the workflows for GitHub', () => {
  const workflows = yamlBelow('GitHub Actions');

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
  expect(file.slice(file.indexOf('patchgate:\n'))).toBe(yamlBelow('GitLab').join());
});
