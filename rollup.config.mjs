// The types, each entry's in one file, for modules and for CommonJS. Before it, `tsc` writes those of each source.
import { dts } from 'rollup-plugin-dts';

const TESTING = {
  testing: 'dist/types/testing/index.d.ts',
  jest: 'dist/types/testing/jest.d.ts',
  'fast-check': 'dist/types/testing/fast-check.d.ts',
};
const MODULES = {
  index: 'dist/types/index.d.ts',
  'define-config': 'dist/types/settings/define-config.d.ts',
  vitest: 'dist/types/testing/vitest.d.ts',
  ...TESTING,
};

/** A setting's entry in the table, up to what it says of itself. */
const SETTING = /^( {4})(\w+): \{\n(?: {8}.*\n)*? {8}readonly description: (['"])(.*)\3;$/gm;
/** Editors show it beside the option of that name. */
const documentSettings = {
  name: 'document-settings',
  transform: (code) => ({
    code: code.replace(SETTING, (setting, indent, _name, _quote, text) => {
      const comment = text.replace(/\\(["'])/g, '$1').replaceAll('*/', '*\\/');
      return `${indent}/** ${comment} */\n${setting}`;
    }),
  }),
};

const typesOf = (input, ending) => ({
  input,
  external: /^[^./]/,
  plugins: [documentSettings, dts()],
  output: {
    dir: 'dist',
    entryFileNames: `[name].${ending}`,
    chunkFileNames: ({ name }) => `types-${name.replace('.d', '')}.${ending}`,
    // What it declares must find vitest's own, whoever imports which first.
    banner: ({ name }) => (name === 'vitest' ? "import 'vitest';" : ''),
  },
  // Types that only others name are not exported; that is meant.
  onLog: (level, log, handle) => {
    if (!log.message.includes('private shared type exports')) handle(level, log);
  },
});

export default [typesOf(MODULES, 'd.ts'), typesOf(TESTING, 'd.cts')];
