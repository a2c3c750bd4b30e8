import { writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/**
 * For TypeScript in CommonJS, which does not take a module's types under `node16`, and before its version 5.8, unless told to.
 *
 * @param metafile of the build of the modules
 * @param entries the entries' sources by their names
 */
export function writeTypesForCommonJs({ outputs }, entries, outdir) {
  for (const [entry, source] of Object.entries(entries)) {
    const types = relative('src', source).replaceAll('\\', '/').replace(/\.ts$/, '.d.ts');
    const from = `'./types/${types}' with { 'resolution-mode': 'import' };\n`;
    const built = Object.values(outputs).find(({ entryPoint }) => entryPoint === source);
    const values = built.exports.map((name) => {
      const isClass = /^[A-Z]/.test(name);
      return `export declare const ${name}: typeof esm.${name};\n${isClass ? `export type ${name} = esm.${name};\n` : ''}`;
    });
    const text = `import type * as esm from ${from}export type * from ${from}${values.join('')}`;
    writeFileSync(join(outdir, `${entry}.d.cts`), text);
  }
}
