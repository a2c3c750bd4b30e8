import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { redactPath, redactText } from '../../../recordings/redaction/redact.ts';
import type { Redaction } from '../../../recordings/redaction/redaction.ts';
import { identityOf, omittedIdentityOf, requestOf } from '../../../reporters/fingerprint.ts';
import type { CheckedFile, Subject } from '../../../reporters/report.ts';
import { writeFileWhole } from '../../output.ts';
import { baselineText, type KnownFindings } from './baseline.ts';
import { thoseOfFiles } from './those-of-files.ts';

/**
 * Makes all findings known but those that are excused already. What the baseline has of files that were not judged stays, as long
 * as there are such files.
 *
 * @param file absolute name of the baseline
 * @param former what it holds so far
 * @param nameOf a judged file's name in the baseline
 * @param redaction a baseline is committed, so paths and pointers in it hold no secret; messages are not in it at all
 * @returns what it holds now
 * @throws PatchgateError `cannot-write`; then it is as it was
 */
export async function writeBaseline(
  files: readonly CheckedFile[],
  file: string,
  former: readonly KnownFindings[],
  nameOf: (file: string) => string,
  redaction: Redaction,
): Promise<KnownFindings[]> {
  const judged = new Set(files.map((one) => nameOf(one.file)));
  const others = await thoseOfFiles(
    former.filter((entry) => !judged.has(entry.file)),
    resolve(file, '..'),
  );
  const all = [...others, ...files.flatMap((one) => knownOf(one, nameOf(one.file), redaction))];
  const text = baselineText(all);
  const isSame = await readFile(file, 'utf8').then(
    (there) => there === text,
    () => false,
  );
  if (!isSame) await writeFileWhole(file, (output) => output.write(text));
  return all;
}

function knownOf({ subjects }: CheckedFile, file: string, redaction: Redaction): KnownFindings[] {
  const known = new Map<string, KnownFindings>();
  const add = (entry: KnownFindings, count: number) => {
    const total = (known.get(entry.fingerprint)?.count ?? 0) + count;
    known.set(entry.fingerprint, { ...entry, count: total });
  };
  for (const subject of subjects) {
    const about = { file, request: requestText(subject, redaction) };
    for (const finding of subject.findings) {
      if (finding.excuse) continue;
      const { rule, pointer } = finding;
      const place = { rule, pointer: redactText(pointer, redaction) };
      add({ ...about, ...place, fingerprint: identityOf(subject, finding) }, 1);
    }
    const { omitted } = subject;
    if (omitted === 0) continue;
    const rules = [...new Set(subject.findings.map(({ rule }) => rule))].sort();
    add({ ...about, rules, fingerprint: omittedIdentityOf(subject) }, omitted);
  }
  return [...known.values()].map(({ count = 1, ...one }) => (count === 1 ? one : { ...one, count }));
}

function requestText(subject: Subject, redaction: Redaction): string {
  const [first, path] = requestOf(subject);
  return path === undefined ? first : `${first} ${redactPath(path, redaction)}`;
}
