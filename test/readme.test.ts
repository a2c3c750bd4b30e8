import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { CATALOGUE } from '../src/catalogue.ts';
import { SETTINGS } from '../src/settings.ts';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');

it('lists every rule as it is', () => {
  const rows = CATALOGUE.map(
    ({ name, severity, basis, says }) => `| \`${name}\` | ${severity} | ${basis} | ${says} |`,
  );
  const listed = readme
    .split('\n')
    .filter((line) => /^\| `(request|schema|project|feature|draft)\./.test(line));
  expect(listed).toEqual(rows);
});

it('names only flags that there are', () => {
  const flags = Object.keys(SETTINGS).map((name) =>
    name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
  );
  const known = [...flags, 'no-guard', 'config', 'operation', 'path', 'format', 'help', 'save-dev', 'cacert'];
  const named = [...readme.matchAll(/(?<![\w-])--([a-z][a-z-]+)/g)].map((match) => match[1] as string);
  expect(named.filter((flag) => !known.includes(flag))).toEqual([]);
});
