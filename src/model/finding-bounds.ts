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
  /** By rule and severity. Made with the first finding, since most requests have none. */
  #kept: Map<string, Map<string, Kept>> | undefined;

  /** Whether one more is kept. The first one always is. To be asked before a finding's texts are made. */
  takes(rule: string, severity: string, pointerLength: number): boolean {
    const kept = this.#of(rule, severity);
    kept.isFull ||=
      kept.findings >= MOST_FINDINGS || (kept.findings > 0 && kept.text + pointerLength > MOST_TEXT);
    if (kept.isFull) {
      this.omitted++;
      return false;
    }
    kept.findings++;
    kept.text += pointerLength;
    return true;
  }

  /** Whether one was left out already, and so all further ones are. */
  isFull(rule: string, severity: string): boolean {
    return this.#of(rule, severity).isFull;
  }

  #of(rule: string, severity: string): Kept {
    this.#kept ??= new Map();
    let kinds = this.#kept.get(rule);
    if (!kinds) {
      kinds = new Map();
      this.#kept.set(rule, kinds);
    }
    let kept = kinds.get(severity);
    if (!kept) {
      kept = { findings: 0, text: 0, isFull: false };
      kinds.set(severity, kept);
    }
    return kept;
  }
}

interface Kept {
  findings: number;
  /** UTF-16 code units of their pointers. */
  text: number;
  isFull: boolean;
}
