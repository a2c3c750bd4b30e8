import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withoutOwnFiles } from '../../../../src/commands/check/inputs/without-own-files.ts';
import { type Format, outputsOf } from '../../../../src/commands/check/report/outputs.ts';
import { writeReports } from '../../../../src/commands/check/report/write-reports.ts';
import type { Report } from '../../../../src/reporters/report.ts';
import { SAMPLE_REPORT } from '../../../reporters/sample-report.ts';
import { refusal } from '../../../support/errors.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const cwd = temporaryFolder();

test.each<[Format, Report]>([
  ['json', SAMPLE_REPORT],
  ['sarif', SAMPLE_REPORT],
  ['gitlab', SAMPLE_REPORT],
  ['json', { files: [] }],
  ['sarif', { files: [] }],
  ['gitlab', { files: [] }],
])('a report in %s that the last run wrote is not judged', async (format, report) => {
  const outputs = outputsOf([`${format}=./r.json`], cwd);
  await writeReports(report, outputs, { cwd, stdout: () => true }, { failOn: 'error', hasBaseline: false });
  const without = (files: string[], inputs: string[]) => withoutOwnFiles(files, { inputs, outputs }, cwd);
  expect(without(['a.json', 'r.json'], ['.'])).toEqual(['a.json']);
  // What is named itself is meant.
  expect(without(['a.json', 'r.json'], ['a.json', 'r.json'])).toEqual(['a.json', 'r.json']);
  expect(refusal('bad-input', () => without(['r.json'], ['.']))).toContain(
    'nothing to judge but the config file, the baseline and reports',
  );
});

test('anything else is, so that no report takes its place', () => {
  for (const text of ['{}', '[]', '{"version":1}', '']) {
    writeFileSync(join(cwd, 'body.json'), text);
    const outputs = outputsOf(['json=body.json'], cwd);
    expect(withoutOwnFiles(['body.json'], { inputs: ['.'], outputs }, cwd)).toEqual(['body.json']);
  }
  symlinkSync('none', join(cwd, 'dangling.json'));
  const outputs = outputsOf(['json=dangling.json'], cwd);
  expect(withoutOwnFiles(['dangling.json'], { inputs: ['.'], outputs }, cwd)).toHaveLength(1);
});

test('neither are the config file and the baseline', () => {
  const own = { inputs: ['.'], outputs: [], baseline: './known.json', configFile: join(cwd, 'c.json') };
  expect(withoutOwnFiles(['a.json', 'c.json', 'known.json'], own, cwd)).toEqual(['a.json']);
  expect(withoutOwnFiles(['c.json'], { ...own, inputs: ['c.json'] }, cwd)).toEqual(['c.json']);
});
