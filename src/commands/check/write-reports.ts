import { json } from '../../reporters/json.ts';
import type { Report } from '../../reporters/report.ts';
import { text } from '../../reporters/text.ts';

const REPORTERS = { text, json };
export const FORMATS = ['text', 'json'] as const;
export type Format = (typeof FORMATS)[number];

/** A report in a format, for a file or for standard output. */
export interface ReportOutput {
  format: Format;
  /** Relative to the working directory; absent: standard output. */
  file?: string;
}

export interface ReportIo {
  /** Takes text of a report. */
  stdout(text: string): void | Promise<void>;
  readonly cwd: string;
}

export async function writeReports(
  report: Report,
  outputs: readonly ReportOutput[],
  io: ReportIo,
): Promise<void> {
  for (const { format } of outputs) await io.stdout(REPORTERS[format](report));
}
