import { describe, expect, it } from 'vitest';
import { fails, isFailing, type Subject, summaryOf } from '../../src/reporters/report.ts';
import { checkedFile, finding, subject } from '../support/checked.ts';

const WARNING = { severity: 'warn' } as const;

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
    ['errors that were left out', subject([finding()], { omitted: 1 }), 'error warn'],
    ['warnings that were left out', subject([finding(WARNING)], { omitted: 1 }), 'warn'],
    ['what a rule that is off would say', subject([], { omitted: 1 }), ''],
  ])('%s: %#', (_what, one, failOn) => {
    expect(failing(one)).toBe(failOn);
  });

  it('a request that could not be judged, where warnings fail', () => {
    const skipped = [{ pointer: '/0', method: 'PATCH', path: '/p', why: 'no body' }];
    const report = { files: [{ ...checkedFile('a.har'), skipped }] };
    expect([fails(report, 'error'), fails(report, 'warn')]).toEqual([false, true]);
  });
});

it('the summary counts files, requests and findings', () => {
  const file = {
    ...checkedFile('a.json', subject([finding(), finding(WARNING)], { omitted: 3 }), subject([])),
  };
  expect(summaryOf({ files: [{ ...file, unjudged: 2 }] })).toEqual({
    ...{ files: 1, judged: 2, unjudged: 2, skipped: 0, blocked: 1, errors: 1, warnings: 1, omitted: 3 },
  });
});
