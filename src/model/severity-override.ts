import type { SeveritySetting } from './finding.ts';

/** What a severity may depend on. */
export interface JudgedPlace {
  /** Absolute name of the file that holds the request, where it comes from one. */
  file?: string | undefined;
  /** The request's path without its query; undefined where only the operation is known. */
  path?: string | undefined;
}

/** Severities that hold for some requests alone. Of several, the later ones count. */
export interface SeverityOverride {
  appliesTo(place: JudgedPlace): boolean;
  /** By rule name. */
  rules: Readonly<Record<string, SeveritySetting>>;
}
