import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { CATALOGUE } from '../src/gate/catalogue.ts';
import { SETTINGS } from '../src/settings/settings.ts';

const pageOf = (file: string) => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');
const readme = pageOf('README.md');

/** Options of single commands that are no settings. */
const OTHERS = [
  'no-guard',
  'no-state',
  'no-read-state',
  'no-detect-secrets',
  'config',
  'operation',
  'path',
  'format',
  'help',
]
  .concat(['method', 'grep', 'only', 'replace', 'unused', 'older-than', 'yes', 'check', 'session'])
  .concat(['project', 'from-target', 'header', 'write-full', 'data-binary'])
  .concat(['output', 'write-baseline', 'against-contract'])
  .concat(['unsafe', 'update', 'env', 'fault'])
  // Of others: npm, npx, curl, node, docker, mount.
  .concat(['connect-to', 'add-host', 'bind', 'global', 'install-links'])
  .concat(['save-dev', 'cacert', 'pack-destination', 'no-install', 'package', 'version', 'test']);

it('lists every rule as it is', () => {
  const rows = CATALOGUE.map(
    ({ name, severity, basis, says }) => `| \`${name}\` | ${severity} | ${basis} | ${says} |`,
  );
  const listed = readme
    .split('\n')
    .filter((line) => /^\| `(request|schema|project|feature|draft)\./.test(line));
  expect(listed).toEqual(rows);
});

it.each([
  'README.md',
  'recordings/README.md',
  'src/guard/README.md',
  'src/server/README.md',
  'src/commands/check/README.md',
])('%s names only flags that there are', (file) => {
  const flags = Object.keys(SETTINGS).map((name) =>
    name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
  );
  const known = [...flags, ...OTHERS];
  const named = [...pageOf(file).matchAll(/(?<![\w-])--([a-z][a-z-]+)/g)].map((match) => match[1] as string);
  expect(named.filter((flag) => !known.includes(flag))).toEqual([]);
});
