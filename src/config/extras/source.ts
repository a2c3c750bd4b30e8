/** Where a value of a config file, or of a program's own settings, comes from. */
export interface ExtraSource {
  /** For messages: the config file's name, or `the settings given`. */
  where: string;
  /** Absolute; that from which file patterns start. */
  folder: string;
}
