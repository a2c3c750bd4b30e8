/** The job for GitLab, its script run as a runner's shell runs it. */
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { packed, ROOT, runProgram } from '../support/binary.ts';
import { exchange } from '../support/exchanges.ts';
import { writeRecording } from '../support/recorded-folder.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

interface Job {
  script: string[];
  artifacts: { when: string; reports: { codequality: string; junit: string } };
}

it('a job that fails leaves the reports that its artifacts name', async () => {
  const file = readFileSync(join(ROOT, '.gitlab/patchgate.yml'), 'utf8');
  const { script, artifacts } = (parse(file) as { patchgate: Job }).patchgate;
  expect(artifacts.when).toBe('always');

  const cwd = temporaryFolder();
  // As npm would have installed it.
  mkdirSync(join(cwd, 'node_modules', '.bin'), { recursive: true });
  symlinkSync(packed('dist/cli.js'), join(cwd, 'node_modules', '.bin', 'patchgate'));
  writeRecording(join(cwd, 'recordings', 'ours'), [exchange({ body: { json: { name: 'Checkout' } } })]);

  const env = { GITLAB_CI: 'true', CI: 'true', CI_PROJECT_DIR: cwd };
  const { code, stdout, stderr } = await runProgram('bash', ['-eo', 'pipefail', '-c', script.join('\n')], {
    cwd,
    env,
  });
  expect(code, stderr).toBe(1);
  expect(stdout).toContain('/languages is missing');

  const recorded = 'recordings/ours/api/v2/accounts/current/projects/42/PATCH.json';
  const issues = JSON.parse(readFileSync(join(cwd, artifacts.reports.codequality), 'utf8'));
  expect(issues).toContainEqual(
    expect.objectContaining({
      description: expect.stringContaining('/languages is missing'),
      check_name: 'schema.required',
      severity: expect.any(String),
      fingerprint: expect.any(String),
      location: { path: recorded, lines: { begin: expect.any(Number) } },
    }),
  );
  expect(readFileSync(join(cwd, artifacts.reports.junit), 'utf8')).toContain('/languages is missing');
});
