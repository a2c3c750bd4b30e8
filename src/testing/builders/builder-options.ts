import type { UserConfig } from '../../settings/define-config.ts';

/** The settings that say what a good body is have the names that they have in a config file. */
export interface BuilderOptions extends Pick<UserConfig, 'contract' | 'rules' | 'customRules' | 'guard'> {
  /** Id of the record in the path; 42 unless given. */
  id?: number | string | undefined;
  /** The whole record before the request, as the service shows it: where the gate knows it, the body is to lose nothing of it. */
  state?: object | undefined;
}
