import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import picomatch from 'picomatch';
import type { CommandModule } from 'yargs';
import type { Imported } from '../contract/openapi/from-openapi.ts';
import { PatchgateError, whyUnreadable } from '../errors.ts';
import { visible } from '../reporters/wording.ts';
import { once } from './given.ts';
import { takesText } from './options.ts';
import { standardOutput } from './output.ts';

export const importContract: CommandModule = {
  builder: (yargs) =>
    yargs
      .positional('document', {
        type: 'string',
        demandOption: true,
        describe: 'OpenAPI 3.0 or 3.1, in JSON or YAML',
      })
      .option('out', takesText('Folder for contract.json and schemas.json; it must not hold a contract'))
      .option('methods', takesText('Methods to take', { defaultDescription: 'PATCH,POST,PUT' }))
      .option('only', takesText('Take operations whose id, or method and path, this pattern matches'))
      .option('loose-parameters', { type: 'boolean', describe: 'Take any text as a parameter of a path' })
      .option('strict', { type: 'boolean', describe: 'Exit with 1 where an operation was left out' })
      .demandOption('out', 'name the folder')
      .example(
        '$0 contract import openapi.yaml --out contract',
        'then: patchgate proxy URL --contract contract',
      )
      .example("$0 contract import api.json --out contract --only 'PATCH /users/**'", 'some operations alone')
      .epilogue('Exit codes: 0 imported, 1 with --strict where something was left out, 2 could not.'),
  handler: async (argv) => {
    const given = (name: string) => once(name, argv[name] as string | string[] | undefined);
    const file = String(argv.document);
    const folder = given('out') as string;
    const only = given('only');
    const methods = methodsOf(given('methods'));
    if (existsSync(join(folder, 'contract.json'))) {
      throw new PatchgateError('bad-usage', `${join(folder, 'contract.json')} is there already`, {
        hint: 'name another folder with --out, or remove it: what you edited there would be lost',
      });
    }
    const { fromOpenApi, SCHEMAS_FILE } = await import('../contract/openapi/from-openapi.ts');
    const imported = await fromOpenApi(file, await textOf(file), {
      methods,
      ...(only !== undefined && { only: picomatch(only, { nocase: true, dot: true }) }),
      looseParameters: argv.looseParameters === true,
    });
    await mkdir(folder, { recursive: true });
    await refuseOtherSchemas(folder);
    // The contract comes last: without it, the folder is none.
    await write(join(folder, SCHEMAS_FILE), imported.schemas);
    await write(join(folder, 'contract.json'), imported.content);
    await standardOutput().write(reportOf(imported, folder));
    if (argv.strict === true && imported.leftOut.length > 0) process.exitCode = 1;
  },
};

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new PatchgateError('bad-usage', `cannot read ${file}: ${whyUnreadable(error)}`, {
      hint: 'name an OpenAPI document: a file in JSON or YAML',
      cause: error,
    });
  }
}

function methodsOf(text: string | undefined): string[] | undefined {
  if (text === undefined) return undefined;
  const methods = text.split(',').map((method) => method.trim().toUpperCase());
  const unknown = methods.find((method) => !['PATCH', 'POST', 'PUT', 'DELETE'].includes(method));
  if (unknown === undefined) return methods;
  throw new PatchgateError('bad-usage', `invalid value ${JSON.stringify(text)} for --methods`, {
    hint: 'it takes some of PATCH, POST, PUT, DELETE, with commas between',
  });
}

/** Each .json file beside a contract is a schema of it. */
async function refuseOtherSchemas(folder: string): Promise<void> {
  const other = (await readdir(folder)).find((name) => name.endsWith('.json'));
  if (other === undefined) return;
  throw new PatchgateError('bad-usage', `${join(folder, other)} would be read as a schema of the contract`, {
    hint: 'name an empty folder with --out',
  });
}

async function write(file: string, content: unknown): Promise<void> {
  await writeFile(`${file}.new`, `${JSON.stringify(content, null, 2)}\n`);
  await rename(`${file}.new`, file);
}

function reportOf(imported: Imported, folder: string): string {
  const { content, leftOut, dropped, loosened, otherTypes, badExamples } = imported;
  const taken = Object.keys(content.operations).length;
  const list = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : [`${title}: ${lines.length}`, ...lines.map((line) => `  ${line}`)];
  const lines = [
    `${folder}: ${taken} operations taken, ${leftOut.length} left out, below ${content.base}`,
    ...list(
      'Left out',
      leftOut.map(({ operation, why }) => `${operation}: ${why}`),
    ),
    ...list(
      'Keywords dropped',
      [...dropped].map(([keyword, count]) => `${keyword}: ${count}`),
    ),
    ...list('Parameters loosened', loosened),
    ...list('Other media types than JSON are refused', otherTypes),
    ...list('Examples that break their own schema', badExamples),
  ];
  return `${lines.map(visible).join('\n')}\n`;
}
