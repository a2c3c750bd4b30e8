/** A page of the documentation, pasted block by block into a shell, as its reader would. */
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Program, packed, ROOT, runProgram, startProgram } from './binary.ts';
import { freePort } from './target.ts';
import { temporaryFolder } from './temporary-folder.ts';

interface Block {
  language: string;
  text: string;
  /** The line of the page on which it begins. */
  line: number;
}

/** What a page prints and what it says is not what is seen. */
export interface Mismatch {
  line: number;
  expected: string;
  actual: string;
}

const SHELL = 'sh';
/** A part of a program that is no file of its own is for reading alone. */
const OUTPUTS = ['', 'json'];
/** Files, told by a comment with their name on the first line: `// gate.mjs`, `# client.py`. */
const NAMED_FILE = /^(?:\/\/|#) ([\w./-]+\.\w+)$/;
/** Those that the pages use, and the one that is used where none is named. */
const PORTS = ['4010', '4011', '4019', '4020'];
const DEFAULT_PORT = '4010';
const SERVES = /(?:^|\s)npx(?: --no-install)? patchgate (?:proxy|replay|fake)\b/;

/**
 * Runs each block of a page in one folder, in which Patchgate is installed. A block of commands that starts a server goes on in the
 * background, and ends the one that had its port before. A block of output after it has lines which must come in this order in
 * what was written: by the commands, or by any server so far. What differs from run to run (times, tokens) is not compared. The
 * ports of the page are others here: somebody else may have those.
 *
 * @param from the heading to begin at; @param to the one to end before; @param cwd a project with Patchgate
 */
export async function walk(
  page: string,
  from: string,
  to: string,
  cwd = projectWithPatchgate(),
): Promise<Mismatch[]> {
  const free = await Promise.all(PORTS.map(async () => String(await freePort())));
  const here = moving(PORTS, free);
  const onPage = moving(free, PORTS);
  const servers = new Map<string, Program>();
  const mismatches: Mismatch[] = [];
  let said = '';
  try {
    for (const { language, text, line } of blocksOf(page, from, to)) {
      const named = NAMED_FILE.exec(text.split('\n', 1)[0] as string)?.[1];
      if (named !== undefined && language !== SHELL) {
        mkdirSync(dirname(join(cwd, named)), { recursive: true });
        writeFileSync(join(cwd, named), here(text));
      } else if (OUTPUTS.includes(language)) {
        const seen = [said, ...[...servers.values()].map((server) => server.stdout() + server.stderr())].map(
          onPage,
        );
        if (!seen.some((actual) => missingLine(text, actual) === undefined)) {
          const expected = missingLine(text, onPage(said)) as string;
          mismatches.push({ line, expected, actual: seen.join('\n--\n') });
        }
      } else if (language === SHELL && SERVES.test(text)) {
        const port = /--port (\d+)/.exec(text)?.[1] ?? DEFAULT_PORT;
        const before = servers.get(port);
        if (before) await stop(before);
        servers.set(port, await serve(here(text), cwd, here(DEFAULT_PORT)));
      } else if (language === SHELL) {
        said = (await shell(here(text), cwd, here(DEFAULT_PORT))).stdout;
      }
    }
  } finally {
    for (const server of servers.values()) await stop(server);
  }
  return mismatches;
}

/** Writes ports for others into a text. All at once: one of them may begin as another. */
function moving(from: readonly string[], to: readonly string[]): (text: string) => string {
  const ports = new RegExp(`\\b(?:${from.join('|')})\\b`, 'g');
  return (text) => text.replace(ports, (port) => to[from.indexOf(port)] as string);
}

/** The blocks of a page from one heading to another, or to its end. */
function blocksOf(file: string, from: string, to?: string): Block[] {
  const page = readFileSync(join(ROOT, file), 'utf8');
  const start = page.indexOf(`\n## ${from}\n`);
  const end = to === undefined ? page.length : page.indexOf(`\n## ${to}\n`);
  if (start < 0 || end < 0) throw new Error(`${file} has no heading ${start < 0 ? from : to}`);
  const blocks = page.slice(start, end).matchAll(/^```(\w*)\n(.*?)^```$/gms);
  return Array.from(blocks, ({ 1: language = '', 2: text = '', index }) => {
    return { language, text, line: page.slice(0, start + index).split('\n').length };
  });
}

/** The blocks of a language below a heading, up to the next one; `""`: those that say none. */
export function blocksBelow(file: string, heading: string, language: string): string[] {
  const headings = Array.from(
    readFileSync(join(ROOT, file), 'utf8').matchAll(/^## (.*)$/gm),
    ([, name]) => name,
  );
  const blocks = blocksOf(file, heading, headings[headings.indexOf(heading) + 1]);
  return blocks.filter((block) => block.language === language).map(({ text }) => text);
}

/** The first line of an output that is not in what was written, after those before it. */
function missingLine(expected: string, actual: string): string | undefined {
  const lines = comparable(actual).split('\n');
  let next = 0;
  for (const line of comparable(expected).split('\n')) {
    if (line === '') continue;
    while (next < lines.length && !(lines[next] as string).startsWith(line)) next++;
    if (next === lines.length) return line;
  }
  return undefined;
}

function comparable(text: string): string {
  return text
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<date>')
    .replaceAll(/\d{4}-\d\d-\d\d/g, '<date>')
    .replaceAll(/\w{3}, \d\d \w{3} \d{4} [\d:]+ GMT/g, '<date>')
    .replaceAll(/\d\d:\d\d:\d\d/g, '<time>')
    .replaceAll(/#token=[\da-f]{32}/g, '#token=<token>')
    .replaceAll(/\b\d+(?:\.\d+)? ?m?s\b/g, '<duration>')
    .replaceAll(/127\.0\.0\.1:(?!401\d\b)\d{4,5}/g, '127.0.0.1:<port>')
    .replaceAll(/[ \t…]+$/gm, '');
}

function projectWithPatchgate(): string {
  const cwd = temporaryFolder();
  mkdirSync(join(cwd, 'node_modules/.bin'), { recursive: true });
  symlinkSync(packed(), join(cwd, 'node_modules/patchgate'));
  chmodSync(packed('dist/cli.js'), 0o755);
  symlinkSync('../patchgate/dist/cli.js', join(cwd, 'node_modules/.bin/patchgate'));
  writeFileSync(
    join(cwd, 'package.json'),
    '{"name":"theirs","version":"1.0.0","type":"module","private":true}',
  );
  return cwd;
}

/** Runs a program of the project as npx does, without the second that npx takes. @param exec `exec`: in the place of the shell */
const npx = (exec = '') =>
  `npx() { [ "$1" != --no-install ] || shift; ${exec} "node_modules/.bin/$1" "\${@:2}"; }\n`;

/** As in a terminal: a failing command does not end the rest, and both outputs are shown. @param port of the gate that a command asks */
function shell(text: string, cwd: string, port: string) {
  const env = { npm_config_loglevel: 'error', NO_COLOR: '1', FORCE_COLOR: undefined, PATCHGATE_PORT: port };
  return runProgram('bash', ['-c', `exec 2>&1\n${npx()}${text}`], { cwd, env });
}

/** @param port of those that name none */
async function serve(text: string, cwd: string, port: string): Promise<Program> {
  const env = { npm_config_loglevel: 'error', PATCHGATE_PORT: port };
  // A group of its own: a shell does not pass a signal on.
  const program = startProgram('bash', ['-c', npx('exec') + text], { cwd, env, detached: true });
  await program.said('health: ', 'stderr');
  return program;
}

async function stop({ pid, ended }: Program): Promise<void> {
  process.kill(-pid, 'SIGTERM');
  await ended;
}
