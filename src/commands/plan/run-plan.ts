import { resolve } from 'node:path';
import { PatchgateError } from '../../errors.ts';
import type { Gate } from '../../gate/gate.ts';
import { type JsonObject, member } from '../../json/json.ts';
import { tokensOf } from '../../json/pointer.ts';
import type { Known } from '../../model/record.ts';
import { redactJson, redactText } from '../../recordings/redaction/redact.ts';
import { isSecretPointer, redactEffect, redactFinding } from '../../recordings/redaction/redact-finding.ts';
import { type Redaction, type RedactionSettings, redactionOf } from '../../recordings/redaction/redaction.ts';
import { doubtOf, outcomeOf, type Plan, planJson, planText } from '../../reporters/plan.ts';
import { visible } from '../../reporters/wording.ts';
import { correctedProject, fullProject } from '../../state/corrected.ts';
import { type InputIo, readInput } from '../check/inputs/read-input.ts';
import { type Output, writeFileWhole } from '../output.ts';
import { ask } from './ask.ts';
import { type ProjectPatch, readBody } from './read-body.ts';
import type { TargetSettings } from './read-target.ts';
import type { Source } from './source.ts';

export interface PlanArgs {
  /** A file, or `-` for standard input. */
  body: string;
  /** The project's id. */
  project: string;
  /** Id of the workspace that `current` means. */
  account: string | undefined;
  /** What the gate wants to stand before a path of the API: `/api/v2`, or `""`. */
  basePath: string;
  source: Source;
  target: TargetSettings;
  format: 'text' | 'json';
  isColoured: boolean;
  redaction?: RedactionSettings;
  /** File to write the corrected body to. */
  writeFull: string | undefined;
  /** Milliseconds since the epoch. */
  now: number;
}

export interface PlanIo extends InputIo {
  output: Output;
  /** Takes one line for people that is not part of the report. */
  say(text: string): void;
}

/** 0: no environment is lost; 3: one is that nobody allowed to go; 2: nobody can tell. */
const EXIT_CODES = { kept: 0, lost: 3, unclear: 2 } as const;

/**
 * Says what a PATCH of a project would do to it, and sends none.
 *
 * @param createGate called once there is a body to read
 * @returns the exit code
 * @throws PatchgateError where body or source cannot be read; then nothing was written
 */
export async function runPlan(
  args: PlanArgs,
  io: PlanIo,
  createGate: () => Gate | Promise<Gate>,
): Promise<0 | 2 | 3> {
  const { body, project, account, basePath, source, target, writeFull, now } = args;
  checkId(project);
  if (writeFull === '-' || writeFull === '') {
    const given = writeFull === '' ? 'an empty name' : 'standard output';
    throw new PatchgateError('bad-usage', `--write-full takes a file, not ${given}`, {
      hint: 'with --format json the corrected body is in the plan: "corrected"',
    });
  }
  const gate = await createGate();
  const input = await readInput(body, io, gate.bodyLimit);
  if (input.kind !== 'body') {
    throw new PatchgateError('bad-input', `${input.name} is ${OTHER_KINDS[input.kind]}, not a body`, {
      hint: 'patchgate check judges it; write the body to a file of its own',
    });
  }
  const path = `${basePath}/accounts/${account ?? 'current'}/projects/${project}`;
  const patch = readBody(gate, path, input);
  const {
    known,
    source: from,
    advice,
  } = await ask(source, { name: patch.name, path, account, gate, target, now });
  const plan = planOf(patch, known, { project, body: input.name, source: from, advice });
  const shown = withoutSecrets(plan, redactionOf(args.redaction));
  await io.output.write(args.format === 'json' ? planJson(shown) : planText(shown, args.isColoured));
  const doubt = doubtOf(shown);
  if (doubt !== undefined && args.format === 'json') io.say(`${visible(doubt)}\n  ${shown.advice}`);
  if (writeFull !== undefined) await writeBody(writeFull, patch, known, plan, io);
  return EXIT_CODES[outcomeOf(plan)];
}

const OTHER_KINDS = {
  recording: 'a file of a recording',
  har: 'an HTTP archive',
  requests: 'lines of requests',
};

function planOf(
  patch: ProjectPatch,
  known: Known | undefined,
  about: Pick<Plan, 'project' | 'body' | 'source' | 'advice'>,
): Plan {
  const { findings, effects = [] } = patch.against(known);
  const name = member(known?.record, 'name');
  return {
    ...about,
    name: typeof name === 'string' ? name : undefined,
    known: known === undefined ? 'nothing' : known.isWhole ? 'whole' : 'part',
    effects,
    corrected: known && correctedProject(known.record, patch.json, effects),
    findings: findings.filter(({ severity }) => severity === 'error'),
  };
}

/** Reports go into logs. */
function withoutSecrets(plan: Plan, redaction: Redaction): Plan {
  const { name, source, advice, effects, corrected, findings } = plan;
  return {
    ...plan,
    name: name && redactText(name, redaction),
    source: redactText(source, redaction),
    advice: redactText(advice, redaction),
    effects: effects.map((effect) => redactEffect(effect, redaction)),
    corrected: corrected && (redactJson(corrected, redaction) as JsonObject),
    findings: findings.map((finding) =>
      redactFinding(finding, isSecretPointer(tokensOf(finding.pointer), redaction), redaction),
    ),
  };
}

async function writeBody(
  file: string,
  patch: ProjectPatch,
  known: Known | undefined,
  plan: Plan,
  io: PlanIo,
): Promise<void> {
  if (!known || outcomeOf(plan) === 'unclear') {
    io.say(`${visible(file)} was not written: what is to be kept is not known`);
    return;
  }
  if (patch.against(known).findings.some(({ rule }) => rule === 'request.unsafe-number')) {
    throw new PatchgateError(
      'bad-input',
      `${visible(file)} was not written: ${plan.body} has a number that no double holds`,
      {
        hint: 'it would become another number: correct the body by hand',
      },
    );
  }
  const full = fullProject(known.record, patch.json, plan.effects);
  await writeFileWhole(resolve(io.cwd, file), (output) => output.write(`${JSON.stringify(full, null, 2)}\n`));
  const none = plan.known === 'whole' ? 'no environment' : 'no environment that is known';
  io.say(`wrote ${visible(file)}: the body ${plan.corrected ? `that loses ${none}` : 'in full'}`);
}

/** service-api 4: an int32; in canonical decimal, as the gate takes it. */
function checkId(project: string): void {
  const number = Number(project);
  if (/^(?:0|-?[1-9]\d*)$/.test(project) && number >= -(2 ** 31) && number < 2 ** 31) return;
  throw new PatchgateError('bad-usage', `--project ${JSON.stringify(project)} is no id of a project`, {
    hint: 'an id is an integer, as in the path: --project 42',
  });
}
