import { expect, it } from 'vitest';
import { MOST_TO_SAY, SubjectList, shareRoom } from '../../../../src/commands/check/judging/subject-list.ts';
import { fails, type Subject, summaryOf } from '../../../../src/reporters/report.ts';
import { finding, subject } from '../../../support/checked.ts';

const ERROR = subject([finding({ rule: 'schema.type' })]);
const WARNING = subject([finding({ rule: 'schema.unknown-field', severity: 'warn' })]);
const SKIPPED = { pointer: '/0', method: 'PATCH', path: '/p', why: 'no body' };

function listed(subjects: readonly Subject[], toSay: number) {
  const list = new SubjectList({ clean: 0, toSay });
  for (const one of subjects) list.add(one);
  list.skip(SKIPPED);
  return list.asFile('a.har', 'har');
}

it('counts requests that there is no room for, with their findings by rule', () => {
  const two = { ...WARNING, findings: [...WARNING.findings, ...WARNING.findings], omitted: 3 };
  const file = listed([ERROR, two, ERROR, WARNING], 2);
  expect(file.subjects).toEqual([ERROR]);
  expect(file.skipped).toBeUndefined();
  expect(file.further).toEqual({
    ...{ judged: 3, blocked: 1, skipped: 1, omitted: 3, breaks: 0, allows: 0 },
    findings: [
      { rule: 'schema.unknown-field', severity: 'warn', count: 3 },
      { rule: 'schema.type', severity: 'error', count: 1 },
    ],
  });
  expect(summaryOf({ files: [file] })).toMatchObject({
    ...{ judged: 4, blocked: 2, skipped: 1, errors: 2, warnings: 3, omitted: 3 },
  });
});

it('says which requests it holds', () => {
  const list = new SubjectList({ clean: 1, toSay: 1 });
  const clean = subject([]);
  expect([clean, clean, ERROR, ERROR].map((one) => list.add(one))).toEqual([true, false, true, false]);
});

it('fails for an error that is only counted', () => {
  expect(fails({ files: [listed([WARNING, ERROR], 1)] }, 'error')).toBe(true);
  expect(fails({ files: [listed([WARNING, WARNING], 1)] }, 'error')).toBe(false);
  expect(fails({ files: [listed([WARNING, WARNING], 1)] }, 'warn')).toBe(true);
});

it('counts by what the contract before said, and not what is gone', () => {
  const [one] = ERROR.findings;
  const compared = {
    ...ERROR,
    findings: [one, { ...one, stands: 'in both' }, { ...one, stands: 'gone' }],
    before: { outcome: 'pass', gone: [] },
  } as unknown as Subject;
  expect(listed([compared], 0).further).toMatchObject({
    breaks: 1,
    findings: [
      { rule: 'schema.type', severity: 'error', count: 1 },
      { rule: 'schema.type', severity: 'error', excuse: { by: 'old-contract' }, count: 1 },
    ],
  });
});

it('gives files that had room for themselves what they would have had together, whenever they come', () => {
  const many = { ...WARNING, findings: Array.from({ length: MOST_TO_SAY - 1 }, () => WARNING.findings[0]) };
  const first = listed([many as Subject], MOST_TO_SAY);
  const second = listed([ERROR], MOST_TO_SAY);
  const third = listed([ERROR, ERROR], 1);
  const together = shareRoom([first, second, third]);
  expect(together.map(({ subjects }) => subjects.length)).toEqual([1, 0, 0]);
  expect(together[2]?.further).toMatchObject({ judged: 2, skipped: 1, findings: [{ count: 2 }] });
  const late: typeof together = [];
  late[1] = second;
  late[2] = third;
  const partly = shareRoom(late);
  partly[0] = first;
  expect(shareRoom(partly)).toEqual(together);
});
