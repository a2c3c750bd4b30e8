import type { Severity } from '../model/finding.ts';
import type { Report } from './report.ts';

/** What a report says of the run, and for whom it is. */
export interface ReporterOptions {
  /** The severity from which on a finding fails the run. */
  failOn: Severity;
  /** Findings were held against a baseline, so that any other is new. */
  hasBaseline: boolean;
  /** It is read on a terminal. */
  isColoured: boolean;
  /** The folder that files are relative to, and that of the repository: absolute. */
  cwd: string;
  root: string;
  /** Of Patchgate: `0.1.0` */
  version: string;
  now: Date;
}

/** Pure. The text in pieces: of 50,000 findings it is large. */
export type Reporter = (report: Report, options: ReporterOptions) => Iterable<string>;
