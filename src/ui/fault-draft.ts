export interface ShownFaults {
  seed: number;
  latency?: string;
  /** How often each fitted a request, and how often it happened. */
  faults: { fault: string; matched: number; applied: number }[];
}

export interface FaultDraft {
  faults: string;
  latency: string;
  seed: string;
}

export function draftOf({ faults, latency = '', seed }: ShownFaults): FaultDraft {
  return { faults: faults.map(({ fault }) => fault).join('\n'), latency, seed: `${seed}` };
}

/** As the API takes it. A seed that is no number is sent as it is, and refused there. */
export function bodyOf({ faults, latency, seed }: FaultDraft) {
  const lines = faults.split('\n').filter((line) => line.trim() !== '');
  return {
    faults: lines,
    ...(latency.trim() && { latency: latency.trim() }),
    ...(seed.trim() && { seed: /^\d{1,15}$/.test(seed.trim()) ? Number(seed) : seed.trim() }),
  };
}

/** Which field an error is about; undefined: none of them, or it is not known. */
export function fieldOf(message: string): keyof FaultDraft | undefined {
  if (/\bfaults?\b(?!.*\bin latency\b)/.test(message) && !/ for (?:latency|seed)$/.test(message))
    return 'faults';
  if (/\blatency\b/.test(message)) return 'latency';
  return /\bseed\b/.test(message) ? 'seed' : undefined;
}

/** The same text with `line 3` for what the API calls `faults[1]`: it is not given the empty lines. */
export function withLines(text: string, faults: string): string {
  const lines = faults.split('\n').flatMap((line, index) => (line.trim() === '' ? [] : [index + 1]));
  return text.replace(/\bfaults\[(\d+)\]/g, (name, index) => {
    const line = lines[Number(index)];
    return line === undefined ? name : `line ${line}`;
  });
}
