import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { CATALOGUE } from '../src/gate/catalogue.ts';
import { COMMAND_DEFAULTS, flagOf, SETTING_NAMES, SETTINGS, type Setting } from '../src/settings/settings.ts';
import { type Described, describedCommands } from './support/described-commands.ts';
import { startGate } from './support/in-process.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const pageOf = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const DOCS = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.md'))
  .map((file) => join('docs', file));
const PAGES = ['README.md', 'CONTRIBUTING.md', 'recordings/README.md', 'bench/README.md', ...DOCS];

/** Of other programs: npm, npx, curl, node, docker, docker compose, mount, gh. */
const OTHERS = [
  ...['connect-to', 'add-host', 'bind', 'global', 'install-links', 'save-dev', 'cacert', 'data-binary'],
  ...['pack-destination', 'no-install', 'package', 'version', 'test', 'run', 'no-file-parallelism', 'errors'],
  ...['body-file', 'edit-last', 'create-if-none', 'build', 'detach', 'wait', 'rm', 'output', 'env'],
];

const PART = /(<!-- generated: npm run docs -->\n).*?(<!-- end of generated -->)/s;

/** Expects that a page has this text between the two marks. */
async function expectGenerated(page: string, text: string): Promise<void> {
  const file = join(ROOT, page);
  const now = readFileSync(file, 'utf8');
  expect(now).toMatch(PART);
  await expect(now.replace(PART, (_, begin, end) => `${begin}${text}\n${end}`)).toMatchFileSnapshot(file);
}

it('lists every rule as it is', async () => {
  const rows = CATALOGUE.map(
    ({ name, severity, basis, says }) => `| \`${name}\` | ${severity} | ${basis} | ${says} |`,
  );
  const table = ['| rule | severity | basis | says |', '|---|---|---|---|', ...rows];
  await expectGenerated('docs/reference/rules.md', table.join('\n'));
});

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('*', '\\*');

async function commandsPage(): Promise<string> {
  const commands = await describedCommands();
  const nameOf = ({ usage }: Described) => usage.replace(/ [<[].*/, '');
  const settings = SETTING_NAMES.map((name) => {
    const { enum: words, default: always, description }: Setting = SETTINGS[name];
    const fallback = always ?? (COMMAND_DEFAULTS.proxy as Record<string, string>)[name];
    const all = (words ?? []).filter((word) => typeof word === 'string');
    const takes = all.every((word) => description.split(/\W+/).includes(word)) ? [] : all;
    const shown = [fallback ?? ''].flat().join(',');
    const says = takes.length > 0 ? `${description}: ${takes.join(', ')}` : description;
    return `| \`${name}\` | ${shown && `\`${shown}\`${always === undefined ? ' in `proxy`' : ''}`} | ${cell(says)} |`;
  });
  const known = new Set([...SETTING_NAMES.map(flagOf), 'config']);
  const own = new Map<string, string[]>();
  for (const command of commands)
    for (const [name, { describe, choices }] of command.options) {
      if (known.has(name)) continue;
      const says = `\`--${name}\` | ${cell(`${describe}${choices ? `: ${choices.join(', ')}` : ''}`)}`;
      own.set(says, [...(own.get(says) ?? []), `\`${nameOf(command)}\``]);
    }
  return [
    '## Commands\n\n| `patchgate …` | does |\n|---|---|',
    ...commands.map(({ usage, describe }) => `| \`${usage}\` | ${cell(describe)} |`),
    '\n## Settings\n\n| name | default | says |\n|---|---|---|',
    ...settings,
    '\n## Options of single commands\n\n| option | says | of |\n|---|---|---|',
    ...[...own].map(([says, names]) => `| ${says} | ${names.join(', ')} |`),
  ].join('\n');
}

it('lists every command, setting and option as it is', async () => {
  await expectGenerated('docs/reference/settings.md', await commandsPage());
});

it('names every route of the control API, and every metric', async () => {
  const target = 'http://127.0.0.1:9';
  const recording = { record: 'new_episodes', recordings: temporaryFolder() } as const;
  const { url } = await startGate({ target, ...recording });
  const { hint } = (await (await fetch(`${url}/__patchgate/unknown`)).json()) as { hint: string };
  const routes = hint.replace(/^.*has: /, '').split(', ');
  const metrics = [...(await (await fetch(`${url}/__patchgate/metrics`)).text()).matchAll(/^# TYPE (\S+)/gm)];
  const names = [...routes, ...metrics.map(([, name]) => name as string)];
  expect(names).toContain('PUT faults');
  expect(names).toContain('patchgate_misses_total');
  expect(names).toContain('patchgate_exchanges_waiting');
  const page = pageOf('docs/reference/control-api.md');
  expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

it.each(PAGES.filter((page) => !page.startsWith('bench')))(
  '%s names only flags that there are',
  async (file) => {
    const options = (await describedCommands()).flatMap((command) => [...command.options.keys()]);
    const own = [
      ...options,
      ...SETTING_NAMES.map(flagOf),
      'help',
      'help-all',
      'no-guard',
      'no-state',
      'no-read-state',
    ];
    const named = [...pageOf(file).matchAll(/(?<![\w-])--([a-z][a-z-]+)/g)].map(
      (match) => match[1] as string,
    );
    expect(named.filter((flag) => ![...own, ...OTHERS].includes(flag))).toEqual([]);
  },
);

it.each(PAGES)('%s leads to files and headings that there are', (file) => {
  const broken = [...pageOf(file).matchAll(/\]\(([^)\s]+)\)/g)]
    .map((match) => match[1] as string)
    .filter((link) => !/^[a-z]+:/.test(link))
    .filter((link) => {
      const [path = '', anchor] = link.split('#');
      const target = path === '' ? file : join(dirname(file), path);
      if (!existsSync(join(ROOT, target))) return true;
      return anchor !== undefined && !anchorsOf(pageOf(target)).includes(anchor);
    });
  expect(broken).toEqual([]);
});

/** As GitHub makes them of headings. */
function anchorsOf(page: string): string[] {
  const text = page.replaceAll(/^```.*?^```$/gms, '');
  return [...text.matchAll(/^#+ (.*)$/gm)].map((match) =>
    (match[1] as string)
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
}
