import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { identityOf, omittedIdentityOf, requestOf } from '../../../reporters/fingerprint.ts';
import type { CheckedFile } from '../../../reporters/report.ts';
import { writeFileWhole } from '../../output.ts';
import { baselineText, type KnownFindings } from './baseline.ts';
import { thoseOfFiles } from './those-of-files.ts';

/**
 * Makes all findings known but those that are excused already. What the baseline has of files that were not judged stays, as long
 * as there are such files.
 *
 * @param files with their secrets hidden: a baseline is committed. Messages are not in it at all
 * @param file absolute name of the baseline
 * @param former what it holds so far
 * @param nameOf a judged file's name in the baseline
 * @returns what it holds now
 * @throws PatchgateError `cannot-write`; then it is as it was
 */
export async function writeBaseline(
  files: readonly CheckedFile[],
  file: string,
  former: readonly KnownFindings[],
  nameOf: (file: string) => string,
): Promise<KnownFindings[]> {
  const judged = new Set(files.map((one) => nameOf(one.file)));
  const others = await thoseOfFiles(
    former.filter((entry) => !judged.has(entry.file)),
    resolve(file, '..'),
  );
  const all = [...others, ...files.flatMap((one) => knownOf(one, nameOf(one.file)))];
  const text = baselineText(all);
  const isSame = await readFile(file, 'utf8').then(
    (there) => there === text,
    () => false,
  );
  if (!isSame) await writeFileWhole(file, (output) => output.write(text));
  return all;
}

function knownOf({ subjects }: CheckedFile, file: string): KnownFindings[] {
  const known = new Map<string, KnownFindings>();
  const add = (entry: KnownFindings, count: number) => {
    const total = (known.get(entry.fingerprint)?.count ?? 0) + count;
    known.set(entry.fingerprint, { ...entry, count: total });
  };
  for (const subject of subjects) {
    const about = { file, request: requestOf(subject).join(' ') };
    for (const finding of subject.findings) {
      if (finding.excuse) continue;
      const { rule, pointer } = finding;
      add({ ...about, rule, pointer, fingerprint: identityOf(subject, finding) }, 1);
    }
    const { omitted } = subject;
    if (omitted === 0) continue;
    const rules = [...new Set(subject.findings.map(({ rule }) => rule))].sort();
    add({ ...about, rules, fingerprint: omittedIdentityOf(subject) }, omitted);
  }
  return [...known.values()].map(({ count = 1, ...one }) => (count === 1 ? one : { ...one, count }));
}
