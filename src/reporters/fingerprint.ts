import { createHash } from 'node:crypto';
import type { PlacedFinding, Report, Subject } from './report.ts';

/**
 * What a finding is known by from run to run: its file, and what `identityOf` says. Of what is alike in one file, each has a
 * number of its own.
 *
 * @returns 32 hexadecimal digits for each finding that the report has
 */
export function fingerprintsOf({ files }: Report): Map<PlacedFinding, string> {
  const prints = new Map<PlacedFinding, string>();
  for (const { file, subjects } of files) {
    const seen = new Map<string, number>();
    for (const subject of subjects) {
      for (const finding of subject.findings) {
        const identity = identityOf(subject, finding);
        const number = seen.get(identity) ?? 0;
        seen.set(identity, number + 1);
        prints.set(finding, digestOf(plainName(file), identity, number));
      }
    }
  }
  return prints;
}

/**
 * What a finding is known by in its file: request, rule, place in the body and message. Lines and the number of the request in
 * its file may change, and so may the severity.
 *
 * @returns 32 hexadecimal digits
 */
export function identityOf(subject: Subject, { rule, pointer, message }: PlacedFinding): string {
  return digestOf(
    ...requestOf(subject),
    rule,
    pointer,
    message.replace(/line \d+, column \d+/g, 'line, column'),
  );
}

/** The same for those findings of a request that were left out: only their number is known. */
export function omittedIdentityOf(subject: Subject): string {
  return digestOf(...requestOf(subject), 'omitted');
}

/** The request as a finding is known by it: `['PATCH', '/accounts/196/projects/42']`, or the operation of a body alone. */
export function requestOf({ method = '', path, operation = '' }: Subject): [string] | [string, string] {
  return path === undefined ? [operation] : [method, path.replace(/\?.*$/s, '')];
}

function plainName(file: string): string {
  return file.replaceAll('\\', '/').replace(/^(?:\.\/)+/, '');
}

function digestOf(...facts: readonly (string | number)[]): string {
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 32);
}
