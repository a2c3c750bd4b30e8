import { resolve } from 'node:path';
import { furtherSchemaRules } from '../../contract/check-schema.ts';
import { PatchgateError } from '../../errors.ts';
import type { Gate } from '../../gate/gate.ts';
import { tokensOf } from '../../json/pointer.ts';
import { nearest } from '../../model/nearest.ts';
import { DRIFT_NAMES } from '../../recordings/drift/drift-rules.ts';
import type { CheckedFile, PlacedFinding, Remark, Subject } from '../../reporters/report.ts';
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

/** Suppresses what the suppressions name that still hold. @param today `2026-11-21` */
export function applySuppressions(
  files: readonly CheckedFile[],
  suppressions: readonly Suppression[],
  { cwd, today }: { cwd: string; today: string },
): readonly CheckedFile[] {
  const holding = suppressions.filter((one) => !isOver(one, today));
  return files.map((file) => {
    const ofFile = holding.filter((one) => matchesFile(one, file, cwd));
    if (ofFile.length === 0) return file;
    const suppress = (subject: Subject, finding: PlacedFinding): PlacedFinding => {
      const by = finding.excuse
        ? undefined
        : ofFile.find((one) => matchesRequest(one, subject) && matchesFinding(one, finding));
      if (!by) return finding;
      const { reason, expires } = by;
      return { ...finding, excuse: { by: 'suppression', reason, ...(expires !== undefined && { expires }) } };
    };
    const subjects = file.subjects.map((subject) => ({
      ...subject,
      findings: subject.findings.map((finding) => suppress(subject, finding)),
    }));
    return { ...file, subjects };
  });
}

/**
 * Which suppressions are over, and which were of no use where they could have been: of files and paths that were not judged,
 * nothing is said.
 *
 * @param files with all that is suppressed
 */
export function remarksOn(
  suppressions: readonly Suppression[],
  files: readonly CheckedFile[],
  { cwd, today }: { cwd: string; today: string },
): Remark[] {
  return suppressions.flatMap((one): Remark | [] => {
    const subjects = files
      .filter((file) => matchesFile(one, file, cwd))
      .flatMap((file) => file.subjects.filter((subject) => matchesRequest(one, subject)));
    const meant = subjects.flatMap(({ findings }) =>
      findings.filter((finding) => matchesFinding(one, finding)),
    );
    const title = `${one.name} of ${one.rule}`;
    if (isOver(one, today)) {
      const isMissed = meant.some(({ excuse }) => !excuse);
      if (!isMissed && subjects.length === 0) return [];
      return {
        severity: isMissed ? 'error' : 'warn',
        message: `${title} expired on ${one.expires}: ${one.reason}`,
        hint: isMissed ? 'mend what it suppressed, or give it a later day' : 'nothing needs it: take it out',
      };
    }
    if (subjects.length === 0 || meant.length > 0) return [];
    return {
      severity: 'warn',
      message: `${title} suppressed nothing: ${one.reason}`,
      hint: 'take it out of the config file, or correct where it holds',
    };
  });
}

function isOver({ expires }: Suppression, today: string): boolean {
  return expires !== undefined && expires < today;
}

function matchesFile({ files }: Suppression, { file }: CheckedFile, cwd: string): boolean {
  return files?.(resolve(cwd, file)) ?? true;
}

function matchesRequest({ paths }: Suppression, { path }: Subject): boolean {
  return paths === undefined || (path !== undefined && paths(path));
}

function matchesFinding({ rule, pointer }: Suppression, finding: PlacedFinding): boolean {
  if (finding.rule !== rule) return false;
  if (pointer === undefined) return true;
  const [pattern, tokens] = [tokensOf(pointer), tokensOf(finding.pointer)];
  return (
    pattern.length === tokens.length && pattern.every((token, i) => token === '*' || token === tokens[i])
  );
}
