import { readFileSync, writeFileSync } from 'node:fs';

/**
 * Gives each setting in the types what it says of itself as a comment, which editors show beside the option of that name. Run
 * after the types were made.
 */
const FILE = 'dist/types/settings/settings.d.ts';
const SETTING = /^( {4})(\w+): \{\n(?: {8}.*\n)*? {8}readonly describe: (['"])(.*)\3;$/gm;

const types = readFileSync(FILE, 'utf8');
const documented = types.replace(SETTING, (setting, indent, _name, _quote, describe) => {
  const text = describe.replaceAll("\\'", "'").replaceAll('*/', '*\\/');
  return `${indent}/** ${text} */\n${setting}`;
});
if (documented === types) throw new Error(`${FILE} has no settings that say what they are`);
writeFileSync(FILE, documented);
