import { flagOf, SETTINGS } from '../settings/settings.ts';

/** What was written for a command line, for those who write a test: `with --port` becomes `with the option port`. A whole command stays. */
export function inOptions(text: string): string {
  if (/\bpatchgate [a-z<]/.test(text)) return text;
  return text.replace(/--([a-z]+(?:-[a-z]+)*)/g, (flag, name: string) => {
    const setting = [...Object.keys(SETTINGS), 'config'].find((one) => flagOf(one) === name);
    return setting ? `the option ${setting}` : flag;
  });
}
