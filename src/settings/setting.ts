/** A list's text is parted at commas, `pointers` too: JSON Pointers; that of patterns, regular expressions, is one of them. */
export type SettingKind =
  | 'string'
  | 'url'
  | 'path'
  | 'boolean'
  | 'integer'
  | 'duration'
  | 'size'
  | 'choice'
  | 'list'
  | 'pointers'
  | 'patterns'
  | 'latency'
  | 'faults';

export interface Setting {
  kind: SettingKind;
  describe: string;
  /** The value where nobody says anything; a command may have its own. */
  default?: string | number | boolean;
  choices?: readonly string[];
  /** What the bare flag means, where its value may be left out. */
  bare?: string;
  /** Bounds of an integer, a size in bytes or a duration in milliseconds. */
  min?: number;
  max?: number;
  alias?: string;
  /** It can be turned off: `--no-state`, or false in a config file; its value is then `""`. */
  mayBeOff?: true;
  /** A file or folder: in a config file it is relative to that file's folder, elsewhere to where the command runs. */
  isPath?: true;
  /** An empty variable is an error, not left out: what it was to protect would stay open, and nobody would notice. */
  secret?: true;
}

/** Milliseconds; a timer of Node that is to wait longer fires at once. */
export const LONGEST_TIMER = 2_147_483_647;
