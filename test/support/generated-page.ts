/** Pages of the reference, parts of which are made from the code. `npm run docs` writes them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PART = /(<!-- generated: npm run docs -->\n).*?(<!-- end of generated -->)/s;

/** Expects that a page has this text between the two marks. */
export async function expectGenerated(page: string, text: string): Promise<void> {
  const file = join(ROOT, page);
  const now = readFileSync(file, 'utf8');
  expect(now).toMatch(PART);
  await expect(now.replace(PART, (_, begin, end) => `${begin}${text}\n${end}`)).toMatchFileSnapshot(file);
}
