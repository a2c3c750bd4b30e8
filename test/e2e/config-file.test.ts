/** Config files that are programs, as Node loads them, and not as vitest does. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { packed, runProgram } from '../support/binary.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const CASES: [name: string, text: string, says: RegExp][] = [
  ['syntax.mjs', 'export default {\n  port: ],\n};', /^syntax\.mjs:2: Unexpected token ']'$/],
  ['cut-off.js', 'export default {\n', /^cut-off\.js:2: Unexpected end of input$/],
  [
    'no-export.mjs',
    "import { no } from 'node:fs';\nexport default {};",
    /^no-export\.mjs:1: .* export named 'no'$/,
  ],
  ['throws.mjs', 'const port = 1;\nthrow new Error("no luck\\nat all");', /^throws\.mjs:2:7: no luck$/],
  [
    'no-package.mjs',
    "import '@no/such-package/part';",
    /^no-package\.mjs.*: Cannot find package '@no\/such-package' /,
  ],
  ['commonjs.mjs', 'module.exports = {};', /^commonjs\.mjs:1:1: module is not defined in ES module scope$/],
  ['config.yaml', 'port: 1', /^config\.yaml: Unknown file /],
];

let said: Record<string, string>;
beforeAll(async () => {
  const folder = temporaryFolder();
  for (const [name, text] of CASES) writeFileSync(join(folder, name), text);
  // One process for all: each start of one takes longer than the rest.
  const program = `
    import { createGate } from ${JSON.stringify(pathToFileURL(packed('dist/index.js')))};
    const said = {};
    for (const config of ${JSON.stringify(CASES.map(([name]) => name))})
      await createGate({ config }).catch((error) => (said[config] = error.message));
    console.log(JSON.stringify(said));`;
  // In a file: what is given with -e has CommonJS's names, too.
  writeFileSync(join(folder, 'program.mjs'), program);
  const { stdout, stderr } = await runProgram(process.execPath, ['program.mjs'], { cwd: folder });
  expect(stderr).toBe('');
  said = JSON.parse(stdout);
});

describe('a config file that does not load', () => {
  it.each(CASES)('%s says why, and where', (name, _, says) => {
    expect(said[name]).toMatch(says);
  });
});
