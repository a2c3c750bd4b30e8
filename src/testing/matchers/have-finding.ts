import type { Finding } from '../../model/finding.ts';
import type { PlacedFinding } from '../../reporters/report.ts';
import { amount } from '../../reporters/wording.ts';
import type { ExpectedFinding, JudgedWith } from './assertions.ts';
import { givenBody } from './body-bytes.ts';
import { checkMembers } from './check-members.ts';
import type { Judge } from './judge.ts';
import { equalTo, isLike, misused, type Outcome, paintOf, type Runner, told, unusable } from './runner.ts';
import { showing } from './shown-value.ts';

const NAME = 'toHaveFinding';
const MEMBERS = ['rule', 'severity', 'basis', 'pointer', 'message', 'hint', 'source', 'line', 'column'];

export function haveFinding(
  runner: Runner,
  judge: Judge,
  body: unknown,
  operation: string,
  expected: ExpectedFinding,
  options: JudgedWith = {},
): Outcome {
  checkMembers(NAME, 'the finding that is expected', expected, MEMBERS);
  checkMembers(NAME, 'what is given beside the finding', options, ['path', 'headers', 'state'], {
    mayBeUndefined: true,
  });
  if (Object.keys(expected).length === 0)
    throw misused(NAME, 'nothing says which finding is meant', `give at least one of ${MEMBERS.join(', ')}`);
  if (typeof expected.rule === 'string') judge.checkRule(NAME, expected.rule);
  const called = { name: NAME, received: 'body', expected: 'operation', secondArgument: 'finding' };
  const given = givenBody(body, judge.gate.bodyLimit);
  if ('wrong' in given) return unusable(runner, called, given.wrong);
  const { subject } = judge.judge(NAME, given.bytes, operation, options);
  const isMeant = fits(runner, expected);
  const pass = subject.findings.some(isMeant);
  const { omitted } = subject;
  // It may be among those that nobody sees.
  if (!pass && omitted > 0)
    return unusable(
      runner,
      called,
      `The gate has ${amount(omitted, 'more finding')} of this ${operation} than it reports.`,
    );
  const show = showing(runner, judge.redaction);
  const wanted = Object.entries(expected).map(([name, value]) => `  ${name}: ${show(value)}`);
  const message = () => {
    if (pass)
      return told(runner, called, [
        `The gate has this finding of this ${operation}:`,
        judge.textOf(subject, paintOf(runner), isMeant),
      ]);
    const count = subject.findings.length;
    return told(runner, called, [
      [`The gate has no such finding of this ${operation}:`, ...wanted].join('\n'),
      count === 0 ? 'It has no findings.' : `It has ${amount(count, 'finding')}:`,
      judge.textOf(subject, paintOf(runner)),
    ]);
  };
  return { pass, message };
}

function fits(runner: Runner, expected: ExpectedFinding): (finding: PlacedFinding) => boolean {
  const equals = equalTo(runner);
  return (finding) =>
    Object.entries(expected).every(([name, value]) => {
      const actual = finding[name as keyof Finding];
      return isLike(actual, value) || equals(actual, value);
    });
}
