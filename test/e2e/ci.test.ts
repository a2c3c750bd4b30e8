/** The GitHub Action, with the program as it is built here, and the page on the use in CI. */
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ACTION_FILE, readAction, runAction } from '../support/action.ts';
import { packed, ROOT } from '../support/binary.ts';
import { project } from '../support/bodies.ts';
import { bundleProgram } from '../support/bundle.ts';
import { runHere } from '../support/run-here.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { blocksBelow } from '../support/walk.ts';

const PAGE = 'docs/ci.md';
const GOOD = JSON.stringify(project());
/** Lacks languages and environments. */
const BAD = '{"name":"Checkout"}';
const AS_PROJECT = '--operation=updateProject';

/** A checkout of the action that was built: there is nothing that npm could install. */
let built: string;
beforeAll(() => {
  built = temporaryFolder();
  for (const name of ['dist', 'schemas']) symlinkSync(packed(name), join(built, name));
});

function workspaceOf(files: Record<string, string>): string {
  const workspace = temporaryFolder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(workspace, name)), { recursive: true });
    writeFileSync(join(workspace, name), text);
  }
  return workspace;
}

const check = (files: Record<string, string>, inputs: Record<string, string>, path = built) => {
  const workspace = workspaceOf(files);
  return runAction({ path, workspace, inputs }).then((ended) => ({ ...ended, workspace }));
};

/** GitHub's own parser of actions and workflows. What it finds is in its words. */
async function loadGithubParser() {
  // The package imports JSON as only bundlers do.
  const source = `
    export { NoOperationTraceWriter, parseWorkflow } from '@actions/workflow-parser';
    export { parseAction } from '@actions/workflow-parser/actions/action-parser';`;
  const file = await bundleProgram(source, temporaryFolder(), 'cjs');
  const { parseAction, parseWorkflow, NoOperationTraceWriter } = createRequire(import.meta.url)(file);
  const errorsOf =
    (parse: typeof parseAction) =>
    (content: string): string[] =>
      parse({ name: 'file.yml', content }, new NoOperationTraceWriter())
        .context.errors.getErrors()
        .map(({ message }: Error) => message);
  return { actionErrors: errorsOf(parseAction), workflowErrors: errorsOf(parseWorkflow) };
}

describe('action.yml', () => {
  const action = readAction();
  const text = readFileSync(ACTION_FILE, 'utf8');

  it("is valid to GitHub's own parser", async () => {
    const { actionErrors } = await loadGithubParser();
    expect(actionErrors(text)).toEqual([]);
    expect(
      actionErrors(text.replace('shell: bash', 'shel: bash').replace('inputs.args', 'secrets.args')),
    ).toEqual([
      expect.stringContaining("Unexpected value 'shel'"),
      expect.stringContaining('Required property is missing: shell'),
      expect.stringContaining("Unrecognized named-value: 'secrets'"),
    ]);
  });

  it('uses each input that it declares, and no other', () => {
    const used = [...text.matchAll(/\$\{\{ inputs\.([\w-]+) \}\}/g)].map((match) => match[1]);
    expect(used.sort()).toEqual(Object.keys(action.inputs).sort());
  });

  it('asks for the Node.js that the package asks for', () => {
    const { engines } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    expect(engines.node).toBe('^20.19.2 || >=22.12.0');
    expect(action.runs.steps[0]?.run).toContain(
      'a > 22 || (a == 22 && b >= 12) || (a == 20 && (b > 19 || (b == 19 && c >= 2)))',
    );
  });
});

describe('the step that builds', () => {
  const inputs = { files: 'a.json', args: AS_PROJECT };

  it('has nothing to do where it is built, and builds where it is not', async () => {
    expect(await check({ 'a.json': GOOD }, inputs)).toMatchObject({ code: 0, stderr: '' });
    // Without package-lock.json npm has nothing to install.
    const empty = await check({ 'a.json': GOOD }, inputs, temporaryFolder());
    expect(empty.code).not.toBe(0);
    expect(empty.stderr).toContain('npm ci');
    expect(empty.outputs).toEqual({ 'exit-code': '', 'sarif-file': '' });
  });

  it.each(['18.20.8', '20.19.1', '22.11.0'])('says what is missing under Node.js %s', async (version) => {
    const workspace = workspaceOf({
      'old.cjs': `Object.defineProperty(process, 'versions', { value: { node: '${version}' } });`,
    });
    const env = { NODE_OPTIONS: '--require ./old.cjs' };
    const { code, stdout } = await runAction({ path: built, workspace, inputs, env });
    expect({ code, stdout }).toEqual({
      code: 2,
      stdout: expect.stringMatching(
        /^::error title=Patchgate::Node\.js 20\.19\.2, 22\.12 or newer is needed: .*\n$/,
      ),
    });
  });
});

describe('the step that judges', () => {
  it('annotates, summarises, and fails', async () => {
    const files = { 'bodies/good.json': GOOD, 'bodies/bad.json': BAD };
    const ended = await check(files, { files: 'bodies', args: AS_PROJECT });
    expect(ended.code).toBe(1);
    expect(ended.outputs).toEqual({ 'exit-code': '1', 'sarif-file': '' });
    const commands = ended.stdout.split('\n').filter((line) => line.startsWith('::error '));
    expect(commands).toHaveLength(2);
    expect(commands[0]).toMatch(/^::error file=bodies\/bad\.json,line=1,.*::.*\/languages is missing/);
    expect(ended.summary).toMatch(/^### Patchgate: failed\n/);
    expect(ended.summary).toContain('bodies/bad.json:1:2  error  schema.required  /languages is missing');
  });

  it('takes file names and arguments as they are, one a line', async () => {
    const names = ['a b.json', `it's "quoted".json`, '$(touch pwned).json', '`touch pwned`.json'].concat([
      '; touch pwned;.json',
      '*.json',
      '--config=evil.json',
      '#.json',
      '%0A::error::x.json',
    ]);
    const files = Object.fromEntries(names.map((name) => [name, GOOD]));
    const ended = await check(files, {
      files: `\n${names.filter((name) => name !== '*.json').join('\n')}\n\n`,
      args: `${AS_PROJECT}\n--fail-on=warn\n`,
    });
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(ended.summary).toContain(`in ${names.length - 1} files`);
    expect(readdirSync(ended.workspace).sort()).toEqual([...names].sort());
  });

  it.each([
    ['files', `a.json"; touch pwned; echo "`],
    ['args', '$(touch pwned)'],
    ['sarif-file', 'x"; touch pwned; "`touch pwned`'],
    ['junit-file', '$(touch pwned).xml'],
  ])('runs nothing that stands in %s', async (input, value) => {
    const ended = await check({ 'a.json': GOOD }, { files: 'a.json', args: AS_PROJECT, [input]: value });
    expect(existsSync(join(ended.workspace, 'pwned'))).toBe(false);
  });

  it('writes further reports, and says where', async () => {
    const inputs = {
      files: 'bad.json',
      args: AS_PROJECT,
      'working-directory': 'sub folder',
      'sarif-file': 'patchgate.sarif',
      'junit-file': 'patchgate.junit.xml',
    };
    const ended = await check({ 'sub folder/bad.json': BAD }, inputs);
    expect(ended).toMatchObject({
      code: 1,
      outputs: {
        'exit-code': '1',
        'sarif-file': join(ended.workspace, 'sub folder', 'patchgate.sarif'),
      },
    });
    // Places are those of the repository, not of the folder.
    expect(ended.stdout).toMatch(/^::error file=sub folder\/bad\.json,/m);
    const sarif = JSON.parse(readFileSync(ended.outputs['sarif-file'] as string, 'utf8'));
    expect(sarif).toMatchObject({ version: '2.1.0' });
    const junit = readFileSync(join(ended.workspace, 'sub folder', 'patchgate.junit.xml'), 'utf8');
    expect(junit).toContain('<testsuites');
  });

  it('tells apart what could not be judged', async () => {
    const inputs = { files: 'missing.json', 'sarif-file': 'patchgate.sarif' };
    const ended = await check({ 'a.json': GOOD }, inputs);
    expect(ended).toMatchObject({ code: 2, outputs: { 'exit-code': '2', 'sarif-file': '' }, summary: '' });
    expect(ended.stderr).toContain('missing.json');
  });
});

interface Workflow {
  jobs: Record<string, { steps: { uses?: string; id?: string; with?: object; run?: string }[] }>;
}

const workflows = blocksBelow(PAGE, 'GitHub Actions', 'yaml');

describe('the workflows for GitHub', () => {
  it("are valid to GitHub's own parser", async () => {
    const { workflowErrors } = await loadGithubParser();
    expect(workflows).toHaveLength(3);
    expect(workflows.map(workflowErrors)).toEqual([[], [], []]);
    expect(workflowErrors((workflows[0] as string).replace('runs-on', 'run-on'))).not.toEqual([]);
  });

  it('give the action what it takes, and ask for what it gives', () => {
    const { inputs, outputs } = readAction();
    const uses = workflows.flatMap((text) =>
      Object.values((parse(text) as Workflow).jobs).flatMap(({ steps }) =>
        steps.filter((step) => step.uses === 'OWNER/patchgate@REF'),
      ),
    );
    expect(uses).toHaveLength(2);
    for (const step of uses) {
      expect(Object.keys(inputs)).toEqual(expect.arrayContaining(Object.keys(step.with ?? {})));
      expect(step.with).toHaveProperty('files');
    }
    const asked = [...workflows.join('').matchAll(/steps\.patchgate\.outputs\.([\w-]+)/g)].map(
      (match) => match[1],
    );
    expect(asked).toContain('sarif-file');
    expect(Object.keys(outputs)).toEqual(expect.arrayContaining(asked));
    expect(uses.some(({ id }) => id === 'patchgate')).toBe(true);
  });
});

it('prints what check says of its bodies', async () => {
  const cwd = temporaryFolder();
  const commands = blocksBelow(PAGE, 'Check files', 'sh').join('');
  // The files that they write.
  const files = [...commands.matchAll(/^cat > (\S+) <<'END'\n(.*?)^END$/gms)];
  expect(files).toHaveLength(2);
  mkdirSync(join(cwd, 'bodies'));
  for (const [, name = '', text = ''] of files) writeFileSync(join(cwd, name), text);
  const { stdout } = await runHere(['check', 'bodies', '--operation', 'updateProject'], { cwd });
  expect([stdout]).toEqual(blocksBelow(PAGE, 'Check files', ''));
});
