import { describe, expect, it } from 'vitest';
import { changeOf, fails, isFailing, type Subject, summaryOf } from '../../src/reporters/report.ts';
import { checkedFile, finding, subject } from '../support/checked.ts';

const KNOWN = { excuse: { by: 'baseline' } } as const;
const OLD = { excuse: { by: 'old-contract' } } as const;
const WARNING = { severity: 'warn' } as const;
const formerly = (outcome: 'pass' | 'block' | 'unjudged') => ({ before: { outcome, gone: [] } });

function failing(one: Subject): string {
  const report = { files: [checkedFile('a.json', one)] };
  const each = (['error', 'warn'] as const).filter((failOn) => fails(report, failOn));
  expect(each).toEqual((['error', 'warn'] as const).filter((failOn) => isFailing(one, failOn)));
  return each.join(' ');
}

describe('the exit code is 1 for', () => {
  it.each<[what: string, one: Subject, failOn: string]>([
    ['nothing', subject([]), ''],
    ['an error', subject([finding()]), 'error warn'],
    ['a warning', subject([finding(WARNING)]), 'warn'],
    ['what is known', subject([finding(KNOWN), finding({ ...WARNING, ...KNOWN })]), ''],
    ['a known error and a warning', subject([finding(KNOWN), finding(WARNING)]), 'warn'],
    ['errors that were left out', subject([finding(KNOWN)], { omitted: 1 }), 'error warn'],
    [
      'warnings that were left out',
      subject([finding(KNOWN), finding({ ...WARNING, ...KNOWN })], { omitted: 1 }),
      'warn',
    ],
    [
      'those that are known',
      subject([finding(KNOWN)], { omitted: 1, omittedExcuse: { by: 'baseline' } }),
      '',
    ],
    ['what a rule that is off would say', subject([], { omitted: 1 }), ''],
    ['what both contracts block', subject([finding(OLD)], formerly('block')), ''],
    [
      'what both block, with some left out',
      subject([finding(OLD)], { omitted: 1, ...formerly('block') }),
      '',
    ],
    ['what is blocked in one more way', subject([finding(OLD), finding()], formerly('block')), 'error warn'],
    ['what is blocked now', subject([finding()], formerly('pass')), 'error warn'],
  ])('%s: %#', (_what, one, failOn) => {
    expect(failing(one)).toBe(failOn);
  });

  it('a request that could not be judged, where warnings fail', () => {
    const skipped = [{ pointer: '/0', method: 'PATCH', path: '/p', why: 'no body' }];
    const report = { files: [{ ...checkedFile('a.har'), skipped }] };
    expect([fails(report, 'error'), fails(report, 'warn')]).toEqual([false, true]);
  });

  it('a remark that is an error', () => {
    const remark = (severity: 'error' | 'warn' | 'note') => ({
      files: [],
      remarks: [{ severity, message: '' }],
    });
    expect([fails(remark('error'), 'error'), fails(remark('warn'), 'warn')]).toEqual([true, false]);
  });
});

it('the summary counts by excuse', () => {
  const suppressed = finding({ excuse: { by: 'suppression', reason: 'why' } });
  const one = subject([finding(), finding(WARNING), finding(KNOWN), suppressed, finding(OLD)], {
    omitted: 3,
  });
  const file = { ...checkedFile('a.json', one, subject([])), unjudged: 2 };
  expect(summaryOf({ files: [file] })).toEqual({
    ...{ files: 1, judged: 2, unjudged: 2, skipped: 0, blocked: 1, errors: 1, warnings: 1 },
    ...{ known: 1, suppressed: 1, unchanged: 1, omitted: 3 },
  });
});

it('a change of the contract breaks or allows what passes with one of both alone', () => {
  const changes = (['pass', 'block', 'unjudged'] as const).map((outcome) => [
    changeOf(subject([], formerly(outcome))),
    changeOf(subject([finding()], formerly(outcome))),
  ]);
  expect(changes).toEqual([
    [undefined, 'breaks'],
    ['allows', undefined],
    [undefined, 'breaks'],
  ]);
  expect(changeOf(subject([finding()]))).toBeUndefined();
});
