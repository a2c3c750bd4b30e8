import { identityOf, omittedIdentityOf } from '../../../reporters/fingerprint.ts';
import type { CheckedFile, PlacedFinding, Subject } from '../../../reporters/report.ts';
import type { KnownFindings } from './baseline.ts';

const EXCUSE = { by: 'baseline' } as const;

/**
 * Excuses what the baseline has. Of what is alike in a file as many count as known as were known; those of a request that were
 * left out, for being very many, are known by their number and the rules that found something then.
 *
 * @param nameOf a judged file's name in the baseline
 * @returns the files, and how many findings of them the baseline has that there are no more
 */
export function excuseKnown(
  files: readonly CheckedFile[],
  baseline: readonly KnownFindings[],
  nameOf: (file: string) => string,
): { files: CheckedFile[]; gone: number } {
  const left = new Map<string, Map<string, Left>>();
  for (const { file, fingerprint, count = 1, rules = [] } of baseline) {
    const ofFile = left.get(file) ?? new Map<string, Left>();
    left.set(file, ofFile);
    // The same line twice is what a merge made of it.
    const same = ofFile.get(fingerprint);
    if (!same || same.count < count) ofFile.set(fingerprint, { count, rules });
  }
  let gone = 0;
  const excused = files.map((file) => {
    const ofFile = left.get(nameOf(file.file));
    if (!ofFile) return file;
    const subjects = file.subjects.map((subject) => excuseIn(subject, ofFile));
    for (const { count } of ofFile.values()) gone += count;
    return { ...file, subjects };
  });
  return { files: excused, gone };
}

/** What is known and was not met yet. */
interface Left extends Required<Pick<KnownFindings, 'rules'>> {
  count: number;
}

function excuseIn(subject: Subject, left: ReadonlyMap<string, Left>): Subject {
  const take = (fingerprint: string, count = 1): boolean => {
    const there = left.get(fingerprint);
    if (!there || there.count < count) return false;
    there.count -= count;
    return true;
  };
  const known = subject.findings.map((finding): PlacedFinding => {
    if (finding.excuse || !take(identityOf(subject, finding))) return finding;
    return { ...finding, excuse: EXCUSE };
  });
  const omitted = omittedIdentityOf(subject);
  const rules = left.get(omitted)?.rules ?? [];
  // Where some are mended, others that were left out come to light.
  const findings = known.map((finding): PlacedFinding => {
    if (finding.excuse || !rules.includes(finding.rule) || !take(omitted)) return finding;
    return { ...finding, excuse: EXCUSE };
  });
  const omittedIsKnown = subject.omitted > 0 && take(omitted, subject.omitted);
  return { ...subject, findings, ...(omittedIsKnown && { omittedExcuse: EXCUSE }) };
}
