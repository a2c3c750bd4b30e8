import { resolve } from 'node:path';
import { PatchgateError } from '../../errors.ts';
import type { Gate } from '../../gate/gate.ts';
import { type JsonObject, member } from '../../json/json.ts';
import { tokensOf } from '../../json/pointer.ts';
import type { Known } from '../../model/record.ts';
import type { Database } from '../../postgres/database.ts';
import { redactJson, redactText } from '../../recordings/redact/redact.ts';
import { isSecretPointer, redactEffect, redactFinding } from '../../recordings/redact/redact-finding.ts';
import { type Redaction, type RedactionSettings, redactionOf } from '../../recordings/redact/redaction.ts';
import { doubtOf, outcomeOf, type Plan, planJson, planText } from '../../reporters/plan.ts';
import { visible } from '../../reporters/wording.ts';
import { correctedProject, fullProject } from '../../state/corrected.ts';
import type { TargetSettings } from '../../upstreams/open-forward.ts';
import { type Input, type InputIo, readInput } from '../check/read-input.ts';
import { type Output, writeFileWhole } from '../output.ts';
import { readSource, type Source } from './source.ts';

const FORMATS = { text: planText, json: planJson } as const;
export type Format = keyof typeof FORMATS;

export interface PlanArgs {
  /** A file, or `-` for standard input. */
  body: string;
  /** The project's id. */
  project: string;
  /** What the gate wants to stand before a path of the API: `/api/v2`, or `""`. */
  basePath: string;
  source: Source;
  /** That of a fleet, where the source is in it. */
  database?: Database | undefined;
  /** Origin of the service of which the fleet's knowledge counts; undefined: of any. */
  service?: string | undefined;
  target: TargetSettings;
  format: Format;
  isColoured: boolean;
  redaction?: RedactionSettings;
  /** File to write the corrected body to. */
  writeFull: string | undefined;
  /** Milliseconds since the epoch. */
  now: number;
}

interface PlanIo extends InputIo {
  output: Output;
  /** Takes one line for people that is not part of the report. */
  say(text: string): void;
}

/** 0: no environment is lost; 3: one is without being allowed to go; 2: it is not known. */
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
  const { body, project, basePath, source, target, database, service, writeFull, now } = args;
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
  const path = `${basePath}/accounts/current/projects/${project}`;
  const patch = readBody(gate, path, input);
  const told = await readSource(source, {
    name: patch.name,
    path,
    gate,
    target,
    database,
    service,
    now,
  });
  const { known } = told;
  const { verdict, effects = [] } = patch.inspect(known);
  const name = member(known?.record, 'name');
  const plan: Plan = {
    ...{ project, body: input.name, source: told.source, advice: told.advice },
    name: typeof name === 'string' ? name : undefined,
    known: known === undefined ? 'nothing' : known.isWhole ? 'whole' : 'part',
    effects,
    corrected: known && correctedProject(known.record, patch.json, effects),
    findings: verdict.findings.filter(({ severity }) => severity === 'error'),
  };
  const shown = withoutSecrets(plan, redactionOf(args.redaction));
  await io.output.write(FORMATS[args.format](shown, args.isColoured));
  const doubt = doubtOf(shown);
  if (doubt !== undefined && args.format === 'json') io.say(`${visible(doubt)}\n  ${shown.advice}`);
  const outcome = outcomeOf(plan);
  if (writeFull === undefined) return EXIT_CODES[outcome];
  const file = visible(writeFull);
  if (!known || outcome === 'unclear') io.say(`${file} was not written: what is to be kept is not known`);
  else if (verdict.findings.some(({ rule }) => rule === 'request.unsafe-number')) {
    const why = `${file} was not written: ${plan.body} has a number that no double holds`;
    throw new PatchgateError('bad-input', why, {
      hint: 'it would become another number: correct the body by hand',
    });
  } else {
    const full = `${JSON.stringify(fullProject(known.record, patch.json, effects), null, 2)}\n`;
    await writeFileWhole(resolve(io.cwd, writeFull), [full]);
    const none = plan.known === 'whole' ? 'no environment' : 'no environment that is known';
    io.say(`wrote ${file}: the body ${plan.corrected ? `that loses ${none}` : 'in full'}`);
  }
  return EXIT_CODES[outcome];
}

const OTHER_KINDS = {
  recording: 'a file of a recording',
  har: 'an HTTP archive',
};

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

/** service-api 4: an int32; in canonical decimal, as the gate takes it. */
function checkId(project: string): void {
  const number = Number(project);
  if (/^(?:0|-?[1-9]\d*)$/.test(project) && number >= -(2 ** 31) && number < 2 ** 31) return;
  throw new PatchgateError('bad-usage', `invalid value ${JSON.stringify(project)} for --project`, {
    hint: 'an id is an integer, as in the path: --project 42',
  });
}

/**
 * Reads the body of a PATCH of one project.
 *
 * @param path of the project
 * @throws PatchgateError `bad-usage` where the contract has no such PATCH, `bad-input` where the body is none that all readers
 *   understand alike
 */
function readBody(gate: Gate, path: string, { name: file, path: input, bytes }: Input) {
  const head = { method: 'PATCH', url: path, headers: ['content-type', 'application/json'] };
  const match = gate.match(head);
  const name = match && gate.recordOf(match);
  if (name?.kind !== 'project') {
    throw new PatchgateError('bad-usage', `by the contract, a PATCH of ${path} changes no project`, {
      hint: 'plan needs an operation with the path /accounts/{account_id}/projects/{project_id}',
    });
  }
  /** The gate's verdict, with what it loses taken for approved, and with all effects. */
  const inspect = (known: Known | undefined) =>
    gate.inspect({ ...head, body: bytes }, match, { known, approval: 'approved', file: input });
  const { verdict, json } = inspect(undefined);
  const unclear = verdict.findings.find(
    ({ rule, severity }) => severity === 'error' && rule.startsWith('request.'),
  );
  if (json !== undefined && !unclear) return { name, json, inspect };
  const { line, column = 1, message = 'it cannot be read', hint } = unclear ?? {};
  const place = line === undefined ? file : `${file}:${line}:${column}`;
  throw new PatchgateError('bad-input', visible(`${place}: ${message}`), hint === undefined ? {} : { hint });
}
