/** Findings of one rule and severity that are kept of one request, and UTF-16 code units that their pointers have. */
const MOST_FINDINGS = 1000;
const MOST_TEXT = 1_048_576;

/**
 * Of each rule and severity the first findings are kept, the rest are only counted. By rule, so that a flood of one never
 * hides another, whatever severity the settings give them.
 */
export class FindingBounds {
  /** How many were not kept. */
  omitted = 0;
  readonly #kept = new Map<string, { findings: number; text: number }>();

  /** Whether one more is kept. The first one always is. To be asked before a finding's texts are made. */
  takes(rule: string, severity: string, pointerLength: number): boolean {
    const key = `${rule} ${severity}`;
    const kept = this.#kept.get(key) ?? { findings: 0, text: 0 };
    this.#kept.set(key, kept);
    // Once one is left out, all further ones are.
    if (kept.findings >= MOST_FINDINGS || (kept.findings > 0 && kept.text + pointerLength > MOST_TEXT)) {
      kept.findings = MOST_FINDINGS;
      this.omitted++;
      return false;
    }
    kept.findings++;
    kept.text += pointerLength;
    return true;
  }
}
