import { summaryOf } from '../../reporters/report.ts';
import { amount } from '../../reporters/wording.ts';
import type { PassOptions } from './assertions.ts';
import { givenBody } from './body-bytes.ts';
import { checkMembers } from './check-members.ts';
import type { Judge, Judged } from './judge.ts';
import { misused, named, type Outcome, paintOf, type Runner, told, unusable } from './runner.ts';

const NAME = 'toPassGate';
const OPTIONS = ['failOn', 'path', 'headers', 'state'];

export function passGate(
  runner: Runner,
  judge: Judge,
  body: unknown,
  operation: string,
  options: PassOptions = {},
): Outcome {
  checkMembers(NAME, 'what is given beside the operation', options, OPTIONS, { mayBeUndefined: true });
  const { failOn = judge.failOn } = options;
  if (failOn !== 'error' && failOn !== 'warn')
    throw misused(NAME, `failOn cannot be ${named(failOn)}`, 'it is "error" or "warn"');
  const called = { name: NAME, received: 'body', expected: 'operation' };
  const given = givenBody(body, judge.gate.bodyLimit);
  if ('wrong' in given) return unusable(runner, called, given.wrong);
  const judged = judge.judge(NAME, given.bytes, operation, options);
  const message = () =>
    told(runner, called, [headline(judged, operation), judge.textOf(judged.subject, paintOf(runner))]);
  return { pass: judge.passes(judged, failOn), message };
}

function headline({ subject, verdict }: Judged, operation: string): string {
  const { errors, warnings, omitted } = summaryOf({
    files: [{ file: 'body', kind: 'body', subjects: [subject], unjudged: 0 }],
  });
  const found = [
    ...(errors > 0 ? [amount(errors, 'error')] : []),
    ...(warnings > 0 ? [amount(warnings, 'warning')] : []),
    ...(omitted > 0 ? [`${omitted} more`] : []),
  ];
  const does =
    verdict.outcome === 'block'
      ? `would block this ${operation} with ${verdict.status}`
      : `lets this ${operation} pass`;
  return `The gate ${does}: ${found.join(', ') || 'no findings'}`;
}
