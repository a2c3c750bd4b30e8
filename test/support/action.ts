/** The GitHub Action of this repository, run as a runner runs a composite one. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { type Ended, ROOT, runProgram } from './binary.ts';
import { temporaryFolder } from './temporary-folder.ts';

export interface Step {
  name: string;
  id?: string;
  run: string;
  'working-directory'?: string;
  env?: Record<string, string>;
}

export interface Action {
  inputs: Record<string, { required: boolean; default?: string }>;
  outputs: Record<string, { value: string }>;
  runs: { using: string; steps: Step[] };
}

export const ACTION_FILE = join(ROOT, 'action.yml');

export function readAction(): Action {
  return parse(readFileSync(ACTION_FILE, 'utf8'));
}

export interface ActionRun {
  /** Where the action's repository lies. */
  path: string;
  /** The folder of the workflow's own checkout. */
  workspace: string;
  inputs: Record<string, string>;
  env?: Record<string, string>;
}

export interface ActionEnded extends Ended {
  outputs: Record<string, string>;
  /** Markdown of all steps. */
  summary: string;
}

/** Runs the action's steps, up to the first that fails. */
export async function runAction({ path, workspace, inputs, env }: ActionRun): Promise<ActionEnded> {
  const action = readAction();
  const values: Record<string, string> = {};
  for (const [name, input] of Object.entries(action.inputs))
    values[`inputs.${name}`] = inputs[name] ?? input.default ?? '';

  const ended: ActionEnded = { code: 0, stdout: '', stderr: '', outputs: {}, summary: '' };
  for (const step of action.runs.steps) {
    const files = filesOfStep(evaluate(step.run, values));
    const { code, stdout, stderr } = await runProgram(
      'bash',
      ['--noprofile', '--norc', '-e', '-o', 'pipefail', files.script],
      {
        cwd: join(workspace, evaluate(step['working-directory'] ?? '.', values)),
        env: {
          ...env,
          GITHUB_ACTIONS: 'true',
          GITHUB_ACTION_PATH: path,
          GITHUB_WORKSPACE: workspace,
          GITHUB_OUTPUT: files.output,
          GITHUB_STEP_SUMMARY: files.summary,
          RUNNER_TEMP: files.temp,
          ...evaluateAll(step.env ?? {}, values),
        },
      },
    );
    for (const line of readFileSync(files.output, 'utf8').split('\n').filter(Boolean)) {
      const at = line.indexOf('=');
      values[`steps.${step.id}.outputs.${line.slice(0, at)}`] = line.slice(at + 1);
    }
    ended.code = code;
    ended.stdout += stdout;
    ended.stderr += stderr;
    ended.summary += readFileSync(files.summary, 'utf8');
    if (code !== 0) break;
  }
  for (const [name, { value }] of Object.entries(action.outputs))
    ended.outputs[name] = evaluate(value, values);
  return ended;
}

/** Fresh ones for each step, as the runner has them. */
function filesOfStep(script: string) {
  const folder = temporaryFolder();
  const files = {
    script: join(folder, 'step.sh'),
    output: join(folder, 'output'),
    summary: join(folder, 'summary.md'),
    temp: join(folder, 'temp'),
  };
  mkdirSync(files.temp);
  for (const file of [files.output, files.summary]) writeFileSync(file, '');
  writeFileSync(files.script, script);
  return files;
}

function evaluateAll(texts: Record<string, string>, values: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, evaluate(text, values)]));
}

/** What stands in `${{ }}` is the name of a value here, no other expression. One that nobody has set is empty. */
function evaluate(text: string, values: Record<string, string>): string {
  return text.replace(/\$\{\{(.*?)\}\}/g, (_, expression: string) => {
    const name = expression.trim();
    if (!/^(?:inputs\.[\w-]+|steps\.[\w-]+\.outputs\.[\w-]+)$/.test(name))
      throw new Error(`not a name of an input or output: ${name}`);
    return values[name] ?? '';
  });
}
