import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import picomatch from 'picomatch';
import type { CommandModule } from 'yargs';
import { PatchgateError, whyUnreadable } from '../errors.ts';
import { makeFolders } from '../recordings/disk.ts';
import { amount, visible } from '../reporters/wording.ts';
import { once } from './given.ts';
import { isOn, takesText } from './options.ts';
import { standardOutput } from './output.ts';

export const importContract: CommandModule = {
  builder: (yargs) =>
    yargs
      .positional('document', {
        type: 'string',
        demandOption: true,
        describe: 'OpenAPI 3.0 or 3.1, in JSON or YAML',
      })
      .option('out', takesText('Folder for contract.json and schemas.json', { demandOption: true }))
      .option('methods', takesText('Methods to take, PATCH,POST,PUT if none is given'))
      .option('only', takesText('Pattern for the id, or for method and path, of operations to take'))
      .option('loose-parameters', isOn('Take any text as a parameter of a path'))
      .option('strict', isOn('Exit with 1 if an operation was left out'))
      .example('$0 contract import api.yaml --out contract', 'then: proxy URL --contract contract')
      .example('$0 contract import a.yaml --out c --strict', 'all or exit code 1'),
  handler: async (argv) => {
    const file = String(argv.document);
    const folder = once(argv, 'out') as string;
    const only = once(argv, 'only');
    const methods = once(argv, 'methods')
      ?.split(',')
      .map((method) => method.trim().toUpperCase());
    const unknown = methods?.find((method) => !['PATCH', 'POST', 'PUT', 'DELETE'].includes(method));
    if (unknown !== undefined)
      throw new PatchgateError('bad-usage', `invalid value ${JSON.stringify(unknown)} for --methods`, {
        hint: 'it takes some of PATCH, POST, PUT, DELETE, with commas between',
      });
    const text = await readFile(file, 'utf8').catch((cause: unknown) => {
      const hint = 'name an OpenAPI document: a file in JSON or YAML';
      throw new PatchgateError('bad-usage', `cannot read ${file}: ${whyUnreadable(cause)}`, { hint, cause });
    });
    const { fromOpenApi, SCHEMAS_FILE } = await import('../contract/openapi/from-openapi.ts');
    const { content, schemas, leftOut, dropped, loosened } = await fromOpenApi(file, text, {
      ...{ methods, looseParameters: argv.looseParameters === true },
      ...(only !== undefined && { only: picomatch(only, { nocase: true, dot: true }) }),
    });
    makeFolders(folder);
    // Each .json file beside a contract is a schema of it, and what was edited in one would be lost.
    const other = (await readdir(folder)).find((name) => name.endsWith('.json'));
    if (other !== undefined)
      throw new PatchgateError('bad-usage', `${join(folder, other)} is there already`, {
        hint: 'name an empty folder with --out',
      });
    // The contract comes last: without it, the folder is none.
    await write(join(folder, SCHEMAS_FILE), schemas);
    await write(join(folder, 'contract.json'), content);
    const taken = Object.keys(content.operations).length;
    const lists: [title: string, lines: readonly string[]][] = [
      ['Left out', leftOut.map(({ operation, why }) => `${operation}: ${why}`)],
      ['Keywords dropped', [...dropped].map(([keyword, count]) => `${keyword}: ${count}`)],
      ['Parameters loosened', loosened],
    ];
    const lines = [
      `${folder}: ${amount(taken, 'operation')} taken, ${leftOut.length} left out, below ${content.base}`,
      ...lists.flatMap(([title, all]) =>
        all.length === 0 ? [] : [`${title}: ${all.length}`, ...all.map((line) => `  ${line}`)],
      ),
    ];
    await standardOutput().write(lines.map((line) => `${visible(line)}\n`).join(''));
    if (argv.strict === true && leftOut.length > 0) process.exitCode = 1;
  },
};

async function write(file: string, content: unknown): Promise<void> {
  await writeFile(`${file}.new`, `${JSON.stringify(content, null, 2)}\n`);
  await rename(`${file}.new`, file);
}
