import { createHash } from 'node:crypto';
import type { PlacedFinding, Report, Subject } from './report.ts';

/**
 * What a finding is known by from run to run: file, request, rule, place in the body and message. Lines and the number of the
 * request in its file may change; of what is alike in one file, each has a number of its own.
 *
 * @returns 32 hexadecimal digits for each finding that the report has
 */
export function fingerprintsOf({ files }: Report): Map<PlacedFinding, string> {
  const prints = new Map<PlacedFinding, string>();
  for (const { file, subjects } of files) {
    const seen = new Map<string, number>();
    for (const subject of subjects) {
      for (const finding of subject.findings) {
        const text = JSON.stringify([plainName(file), ...requestOf(subject), ...factsOf(finding)]);
        const number = seen.get(text) ?? 0;
        seen.set(text, number + 1);
        prints.set(finding, digest(`${text} ${number}`));
      }
    }
  }
  return prints;
}

function plainName(file: string): string {
  return file.replaceAll('\\', '/').replace(/^(?:\.\/)+/, '');
}

function requestOf({ method, path, operation }: Subject) {
  return path === undefined ? [operation] : [method, path];
}

function factsOf({ rule, pointer, message }: PlacedFinding) {
  return [rule, pointer, message];
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
