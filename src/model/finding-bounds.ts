/** Findings of one rule and severity that are kept of one request, and UTF-16 code units that their pointers have. */
const MOST_FINDINGS = 1000;
const MOST_TEXT = 1_048_576;

/**
 * Keeps the cost of a hostile body bounded: of each rule and severity the first findings are kept, the rest are only
 * counted. By rule, so that a flood of one never hides another, whatever severity the settings give them.
 */
export class FindingBounds {
  /** How many were not kept. */
  omitted = 0;
  #kept: Map<string, { findings: number; text: number }> | undefined;

  /** Whether one more is kept. The first one always is. To be asked before a finding's texts are made. */
  takes(rule: string, severity: string, pointerLength: number): boolean {
    const kind = `${rule} ${severity}`;
    this.#kept ??= new Map();
    const kept = this.#kept.get(kind);
    if (!kept) {
      this.#kept.set(kind, { findings: 1, text: pointerLength });
      return true;
    }
    if (kept.findings >= MOST_FINDINGS || kept.text + pointerLength > MOST_TEXT) {
      this.omitted++;
      return false;
    }
    kept.findings++;
    kept.text += pointerLength;
    return true;
  }
}
