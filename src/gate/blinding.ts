import type { RequestRule } from '../contract/request-rules.ts';
import type { RawFinding } from '../model/finding.ts';

/** Readers that take names loosely read another body than others do. */
export const LOOSE_NAMES: ReadonlySet<string> = new Set(['schema.field-case']);

/** What keeps the guard from knowing which record a PATCH changes; and, of a guarded operation, in what way. */
export const BLINDING_HEADS: ReadonlySet<string> = new Set<RequestRule>([
  'request.ambiguous-path',
  'request.ambiguous-header',
]);
/** Where the path does not say which record that is. */
export const BLINDING_PATHS: ReadonlySet<string> = new Set<string>([
  ...BLINDING_HEADS,
  'request.path-parameter',
]);
export const BLINDING_BODIES: ReadonlySet<string> = new Set<RequestRule>([
  'request.content-encoding',
  'request.content-type',
  'request.json',
  'request.duplicate-key',
  'request.unsafe-key',
  'request.unsafe-number',
  'request.too-large',
]);

/** The findings, of which the errors of these rules keep the guard from seeing what is lost. */
export function blinding(findings: readonly RawFinding[], rules: ReadonlySet<string>): readonly RawFinding[] {
  if (findings.length === 0) return findings;
  return findings.map((finding) =>
    finding.severity === 'error' && rules.has(finding.rule) ? { ...finding, isBlinding: true } : finding,
  );
}
