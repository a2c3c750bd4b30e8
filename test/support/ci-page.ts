/** The page on the use in CI, whose blocks are tried. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './binary.ts';

/** Where the page leaves a place for the user's own. */
export const REPOSITORY = 'https://git.example.com/OWNER/patchgate';
export const ACTION = 'OWNER/patchgate@REF';

/** The blocks of a language below a heading of the page, in their order; `""`: those that say none. */
export function blocksBelow(heading: string, language: string): string[] {
  const page = readFileSync(join(ROOT, 'docs/ci.md'), 'utf8');
  const section = page.split(/^## /m).find((text) => text.startsWith(`${heading}\n`));
  if (section === undefined) throw new Error(`the page has no heading ${heading}`);
  return [...section.matchAll(/^```(\w*)\n(.*?)^```$/gms)]
    .filter((match) => match[1] === language)
    .map((match) => match[2] as string);
}

/** The files that a section's commands write, in their order: `cat > name <<'END'`. */
export function filesBelow(heading: string): string[] {
  const files = blocksBelow(heading, 'sh')
    .join('')
    .matchAll(/^cat > \S+ <<'END'\n(.*?)^END$/gms);
  return [...files].map((match) => match[1] as string);
}
