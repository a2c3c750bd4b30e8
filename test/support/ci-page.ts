/** The page on the use in CI, whose blocks are tried. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './binary.ts';

/** Where the page leaves a place for the user's own. */
export const REPOSITORY = 'https://git.example.com/OWNER/patchgate';
export const ACTION = 'OWNER/patchgate@REF';

/** The YAML blocks below a heading of the page, in their order. */
export function yamlBelow(heading: string): string[] {
  const page = readFileSync(join(ROOT, 'src/commands/check/README.md'), 'utf8');
  const section = page.split(/^## /m).find((text) => text.startsWith(`${heading}\n`));
  if (section === undefined) throw new Error(`the page has no heading ${heading}`);
  return [...section.matchAll(/^```yaml\n(.*?)^```$/gms)].map((match) => match[1] as string);
}
