import { resolve } from 'node:path';
import { furtherSchemaRules } from '../../contract/schema-rules.ts';
import { PatchgateError } from '../../errors.ts';
import type { Gate } from '../../gate/gate.ts';
import { tokensOf } from '../../json/pointer.ts';
import { nearest } from '../../model/nearest.ts';
import { DRIFT_NAMES } from '../../recordings/drift/drift-rules.ts';
import type { CheckedFile, Excuse, PlacedFinding, Remark, Subject } from '../../reporters/report.ts';
import type { Suppression } from '../../settings/extras.ts';

/** @param rules the gate's. @throws PatchgateError `bad-config` where a suppression names another */
export function checkSuppressedRules(suppressions: readonly Suppression[], rules: Gate['rules']): void {
  const names = rules.map(({ name }) => name);
  const all = [...names, ...furtherSchemaRules(), ...DRIFT_NAMES];
  for (const { rule, rulePlace } of suppressions) {
    if (all.includes(rule)) continue;
    const near = nearest(rule, all);
    throw new PatchgateError('bad-config', `${rulePlace}: there is no rule ${JSON.stringify(rule)}`, {
      hint: near ? `did you mean "${near}"?` : `rules: ${names.join(', ')}`,
    });
  }
}

/**
 * Excuses what the suppressions name that still hold.
 *
 * @param today `2026-11-21`
 */
export function excuseSuppressed(
  files: readonly CheckedFile[],
  suppressions: readonly Suppression[],
  { cwd, today }: { cwd: string; today: string },
): readonly CheckedFile[] {
  const holding = suppressions.filter((one) => !isOver(one, today));
  return files.map((file) => {
    const ofFile = holding.filter((one) => meansFile(one, file, cwd));
    if (ofFile.length === 0) return file;
    const subjects = file.subjects.map((subject) => {
      const ofSubject = ofFile.filter((one) => meansRequest(one, subject));
      const excuse = (finding: PlacedFinding): PlacedFinding => {
        const by = finding.excuse ? undefined : ofSubject.find((one) => meansFinding(one, finding));
        return by ? { ...finding, excuse: excuseBy(by) } : finding;
      };
      return ofSubject.length === 0 ? subject : { ...subject, findings: subject.findings.map(excuse) };
    });
    return { ...file, subjects };
  });
}

function excuseBy({ reason, expires }: Suppression): Excuse {
  return { by: 'suppression', reason, ...(expires !== undefined && { expires }) };
}

/**
 * Which suppressions are over, and which were of no use where they could have been: of files and paths that were not judged,
 * nothing is said.
 *
 * @param files with all that is excused
 */
export function remarksOn(
  suppressions: readonly Suppression[],
  files: readonly CheckedFile[],
  { cwd, today }: { cwd: string; today: string },
): Remark[] {
  const remarks: Remark[] = [];
  for (const one of suppressions) {
    const { isInReach, meant } = meantBy(one, files, cwd);
    const title = `${one.name} of ${one.rule}`;
    if (isOver(one, today)) {
      const isMissed = meant.some(({ excuse }) => !excuse);
      if (!isMissed && !isInReach) continue;
      remarks.push({
        severity: isMissed ? 'error' : 'warn',
        message: `${title} expired on ${one.expires}: ${one.reason}`,
        hint: isMissed ? 'mend what it suppressed, or give it a later day' : 'nothing needs it: take it out',
      });
    } else if (isInReach && meant.length === 0) {
      remarks.push({
        severity: 'warn',
        message: `${title} suppressed nothing: ${one.reason}`,
        hint: 'take it out of the config file, or correct where it holds',
      });
    }
  }
  return remarks;
}

/** The findings that a suppression is about, and whether there was anything judged that could have some. */
function meantBy(one: Suppression, files: readonly CheckedFile[], cwd: string) {
  const ofFiles = files.filter((file) => meansFile(one, file, cwd));
  const subjects = ofFiles.flatMap((file) => file.subjects).filter((subject) => meansRequest(one, subject));
  const meant = subjects.flatMap(({ findings }) => findings.filter((finding) => meansFinding(one, finding)));
  return { isInReach: subjects.length > 0, meant };
}

function isOver({ expires }: Suppression, today: string): boolean {
  return expires !== undefined && expires < today;
}

function meansFile({ files }: Suppression, { file }: CheckedFile, cwd: string): boolean {
  return files?.(resolve(cwd, file)) ?? true;
}

function meansRequest({ paths }: Suppression, { path }: Subject): boolean {
  return paths === undefined || (path !== undefined && paths(path));
}

function meansFinding({ rule, pointer }: Suppression, finding: PlacedFinding): boolean {
  if (finding.rule !== rule) return false;
  if (pointer === undefined) return true;
  const [pattern, tokens] = [tokensOf(pointer), tokensOf(finding.pointer)];
  return (
    pattern.length === tokens.length && pattern.every((token, i) => token === '*' || token === tokens[i])
  );
}
