/** `patchgate check` for people and CI systems at once: which report goes where. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runBinary } from '../support/binary.ts';
import { runHere } from '../support/run-here.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const DRAFT = '{\n  "draftId": 1002\n}';
const PATH = ['--path', '/accounts/current/drafts/1001'];

describe('several reports at once', () => {
  it('each goes to its file, and one to standard output', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'page.md'), '');
    const args = ['check', '-', ...PATH, '-f', 'junit=out/r.xml', '-f', 'sarif=p.sarif'];
    const env = { GITHUB_STEP_SUMMARY: join(cwd, 'page.md') };
    const { code, stdout, stderr } = await runBinary([...args, '--format=github'], {
      ...{ cwd, env, stdin: DRAFT },
    });
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(stdout).toMatch(
      /^::error title=draft\.id-matches-path::<stdin>:2:14: .*\nPatchgate: 1 error, .*\n$/,
    );
    expect(readFileSync(join(cwd, 'out/r.xml'), 'utf8')).toContain('type="draft.id-matches-path"');
    const { runs } = JSON.parse(readFileSync(join(cwd, 'p.sarif'), 'utf8'));
    expect(runs[0].results[0].ruleId).toBe('draft.id-matches-path');
    // Each rule is told of, those that found nothing too.
    expect(runs[0].tool.driver.rules.length).toBeGreaterThan(20);
    expect(readFileSync(join(cwd, 'page.md'), 'utf8')).toContain('### Patchgate: failed');
  });

  it('where none is left for standard output, standard error sums up', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'draft.json'), DRAFT);
    const { code, stdout, stderr } = await runHere(['check', 'draft.json', ...PATH, '-f', 'text=r.txt'], {
      cwd,
    });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^1 error, .*; written to r\.txt\n$/);
    expect(readFileSync(join(cwd, 'r.txt'), 'utf8')).toContain(
      'draft.json:2:14  error  draft.id-matches-path',
    );
  });
});

it.each([
  [['-f', 'junti'], 'invalid value "junti" for --format\n  did you mean junit?'],
  [['-f', 'json', '-f', 'text'], 'json and text both go to standard output'],
  [['-f', 'json='], '-f json= needs a file'],
  [['-f', 'json', '-o', 'x'], 'unknown argument: o'],
  [['-f', 'json', '-f', 'junit=./draft.json'], './draft.json is judged, or given for two reports'],
])('%j: exit code 2, and nothing is written', async (args, message) => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'draft.json'), DRAFT);
  const all = ['check', 'draft.json', ...PATH, '-f', 'sarif=p.sarif', ...args];
  const { code, stdout, stderr } = await runHere(all, { cwd });
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(`patchgate: ${message}`);
  expect(readFileSync(join(cwd, 'draft.json'), 'utf8')).toBe(DRAFT);
  expect(existsSync(join(cwd, 'p.sarif'))).toBe(false);
});
