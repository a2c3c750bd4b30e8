import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { CommandModule } from 'yargs';
import { messageOf, PatchgateError, systemCode } from '../errors.ts';
import { makeFolders } from '../recordings/disk.ts';
import { CONFIG_FILES } from '../settings/config-file.ts';
import { SETTINGS } from '../settings/settings.ts';
import { parseTarget } from '../upstreams/target.ts';
import { isOn, takesText } from './options.ts';
import { standardOutput } from './output.ts';

const SCRIPT = { name: 'test:offline', runs: 'patchgate exec -- npm test' };
const HIDDEN = '.patchgate/';
const WORKFLOW = '.github/workflows/patchgate.yml';

export const init: CommandModule = {
  builder: (yargs) =>
    yargs
      .option('target', takesText('Base URL of the real service, for the config'))
      .option('ci', isOn(`Write a job for GitHub Actions, too: ${WORKFLOW}`))
      .example('$0 init', 'a config, an npm script, a line for .gitignore')
      .example('$0 init --ci', 'a CI job, too'),
  handler: async ({ target, ci }) => {
    const { origin, path } = parseTarget(String(target ?? 'https://staging.example.com/api/v2'));
    const url = origin + path.replaceAll("'", '%27');
    const done = [
      await writeNew('patchgate.config.mjs', configText(url, target !== undefined), CONFIG_FILES),
      await addScript(),
      await addLine('.gitignore', HIDDEN),
      ...(ci ? [await writeNew(WORKFLOW, WORKFLOW_TEXT, [WORKFLOW])] : []),
    ];
    const next = `Next: npx patchgate proxy ${target === undefined ? 'URL' : url} --record, send requests to it, then: npm run ${SCRIPT.name}`;
    await standardOutput().write(`${[...done, next].join('\n')}\n`);
  },
};

/** Commented, with what people set most often. It imports nothing: the package may be installed elsewhere. */
function configText(target: string, isGiven: boolean): string {
  const line = (name: keyof typeof SETTINGS, value: string, isSet = false) =>
    `  // ${SETTINGS[name].description}\n  ${isSet ? '' : '// '}${name}: ${value},\n`;
  return [
    "/** @type {import('patchgate/config').UserConfig} All settings: npx patchgate config */\nexport default {\n",
    line('target', `'${target}'`, isGiven),
    line('recording', "'default'", true),
    line('setHeader', "['Authorization=env:STAGING_TOKEN']"),
    line('protect', "['Production']"),
    line('ignorePointers', "['/environments/*/id']"),
    line('redact', "['pin']"),
    '};\n',
  ].join('');
}

const WORKFLOW_TEXT = `name: patchgate
on: [push, pull_request]
jobs:
  offline:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v5
      - uses: actions/setup-node@v4
        with:
          node-version: 22
      - run: npm ci
      - run: npx patchgate check recordings
      - run: npm run ${SCRIPT.name}
`;

/** @param others what makes it needless if it is there @returns what was done, for people */
async function writeNew(file: string, text: string, others: readonly string[]): Promise<string> {
  for (const other of others)
    if ((await textOf(other)) !== undefined) return `${other} is there: left as it is`;
  makeFolders(dirname(file));
  await put(() => writeFile(file, text, { flag: 'wx' }));
  return `${file} written`;
}

async function addScript(): Promise<string> {
  const file = 'package.json';
  const text = await textOf(file);
  if (text === undefined) return `no ${file} here: the script would be "${SCRIPT.name}": "${SCRIPT.runs}"`;
  let content: { scripts?: Record<string, string> };
  try {
    content = JSON.parse(text);
  } catch (error) {
    throw new PatchgateError('bad-input', `${file}: ${messageOf(error)}`, { hint: 'correct the JSON' });
  }
  if (content.scripts?.[SCRIPT.name] !== undefined)
    return `${file} has a script ${SCRIPT.name}: left as it is`;
  const indent = /^\s+(?=")/m.exec(text)?.[0].replaceAll('\n', '') ?? '  ';
  const changed = { ...content, scripts: { ...content.scripts, [SCRIPT.name]: SCRIPT.runs } };
  await put(() => writeFile(file, `${JSON.stringify(changed, null, indent)}\n`));
  return `${file}: script ${SCRIPT.name} added`;
}

async function addLine(file: string, line: string): Promise<string> {
  const text = (await textOf(file)) ?? '';
  if (text.split(/\r?\n/).includes(line)) return `${file} has ${line}: left as it is`;
  await put(() => appendFile(file, `${text === '' || text.endsWith('\n') ? '' : '\n'}${line}\n`));
  return `${file}: ${line} added`;
}

async function textOf(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw new PatchgateError('cannot-read', `cannot read ${file}: ${messageOf(error)}`, { cause: error });
  }
}

async function put(write: () => Promise<void>): Promise<void> {
  await write().catch((error: unknown) => {
    throw new PatchgateError('cannot-write', messageOf(error), { cause: error });
  });
}
