import { expect, test } from 'vitest';
import { githubSummary } from '../../src/reporters/github-summary.ts';
import { checkedFile, EXCUSED_REPORT, finding, subject } from './sample-findings.ts';
import { SAMPLE_OPTIONS } from './sample-options.ts';
import { SAMPLE_REPORT } from './sample-report.ts';

test('is a table of what counts, errors first', () => {
  expect(githubSummary(SAMPLE_REPORT, SAMPLE_OPTIONS)).toBe(`### Patchgate: failed

1 error, 2 warnings, 1 more: 3 requests judged, 1 would be blocked, 2 not concerned, in 3 files

| | Place | Rule | Finding |
| --- | --- | --- | --- |
| error | bodies/bad.json:2:3 | schema.required | languages is mandatory; send the full project |
| warn | bodies/bad.json | request.too-large | large |
| warn | recordings/PATCH.json:12:7 | schema.unknown-field | owner is not listed |

`);
});

test('says that it passed, and what remarks there are', () => {
  const clean = { files: SAMPLE_REPORT.files.slice(0, 1) };
  expect(githubSummary(clean, SAMPLE_OPTIONS)).toMatch(/^### Patchgate: passed\n\nno findings: .*\n\n$/);
  expect(githubSummary(EXCUSED_REPORT, SAMPLE_OPTIONS)).toContain(
    '\n- error: suppressions/0 expired on 2026-11-01 fix it\n- warn: suppressions/1',
  );
});

test('nothing from a file is Markdown or HTML', () => {
  const message = '| a |\n| <img src=x> `b` [c](d) **e** &amp; \\| #1 ~~f~~ $g$';
  const report = { files: [checkedFile([subject([finding({ message, rule: 'x_y' })])])] };
  expect(githubSummary(report, SAMPLE_OPTIONS)).toContain(
    '| x\\_y | \\| a \\|\ufffd\\| \\<img src=x\\> \\`b\\` \\[c\\](d) \\*\\*e\\*\\* \\&amp; \\\\\\| \\#1 \\~\\~f\\~\\~ \\$g\\$ |\n',
  );
});

test('stays far below what GitHub takes', () => {
  const long = finding({ message: '\u4e00'.repeat(50_000), rule: '\u4e00'.repeat(50_000) });
  const summary = githubSummary(
    {
      files: [
        checkedFile([subject(Array.from({ length: 600 }, () => long))], { file: '\u4e00'.repeat(5000) }),
      ],
    },
    SAMPLE_OPTIONS,
  );
  expect(Buffer.byteLength(summary)).toBeLessThan(512 * 1024);
  expect(summary).toMatch(/\n\nand \d+ more\n\n/);
  const few = githubSummary(
    { files: [checkedFile([subject(Array.from({ length: 600 }, () => finding()))])] },
    SAMPLE_OPTIONS,
  );
  expect(few).toContain('\n\nand 100 more\n\n');
});
