import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { CommandModule } from 'yargs';
import { judgingGate } from '../app/compose-gate.ts';
import { withDatabase } from '../app/open-database.ts';
import { PatchgateError } from '../errors.ts';
import type { Gate } from '../gate/gate.ts';
import { recordedUpdate } from '../guard/recorded-history.ts';
import { journalOf, readKept } from '../guard/state-files.ts';
import { type JsonObject, member } from '../json/json.ts';
import { tokensOf } from '../json/pointer.ts';
import { type Known, LEARNT, type RecordName } from '../model/record.ts';
import type { Database } from '../postgres/database.ts';
import { redactJson, redactText } from '../recordings/redaction/redact.ts';
import { isSecretPointer, redactEffect, redactFinding } from '../recordings/redaction/redact-finding.ts';
import { type Redaction, type RedactionSettings, redactionOf } from '../recordings/redaction/redaction.ts';
import { doubtOf, outcomeOf, type Plan, planJson, planText } from '../reporters/plan.ts';
import { visible } from '../reporters/wording.ts';
import { resolveConfig } from '../settings/config.ts';
import { COMMAND_DEFAULTS, STATE_BY_DEFAULT } from '../settings/settings.ts';
import { correctedProject, fullProject } from '../state/corrected.ts';
import { KnownState } from '../state/known-state.ts';
import type { TargetSettings } from '../upstreams/open-forward.ts';
import { parseTarget } from '../upstreams/target.ts';
import { type Input, type InputIo, readInput } from './check/read-input.ts';
import { all, headersOf, once } from './given.ts';
import { flagsOf, formatOf, GUARDING, RECORDINGS, REDACTION, takesText, withSettings } from './options.ts';
import { isColoured, type Output, say, standardOutput, writeFileWhole } from './output.ts';
import { chosenIn } from './recordings/selection.ts';
import { ageSince } from './recordings/units.ts';

/** As the builder has yargs read them; what is given twice is a list. */
interface Args {
  body: string;
  project: string | string[];
  recording?: string;
  fromTarget?: string | string[];
  header?: string | string[];
  writeFull?: string | string[];
  format: keyof typeof FORMATS;
}

const FORMATS = { text: planText, json: planJson } as const;

const SOURCES = 'What the project holds (one of them):';

export const plan: CommandModule = {
  builder: (yargs) =>
    withSettings(yargs, [
      ...GUARDING,
      ...REDACTION,
      ...([
        'contract',
        'basePath',
        ...RECORDINGS,
        'timeout',
        'targetCa',
        'targetInsecure',
        'targetCert',
        'targetKey',
        'setHeader',
      ] as const),
    ])
      .positional('body', {
        type: 'string',
        demandOption: true,
        describe: 'File with the body of the PATCH, - for standard input',
      })
      .options({
        project: takesText('Id of the project', { demandOption: true }),
        state: takesText('File in which patchgate proxy keeps what it knows', {
          group: SOURCES,
          defaultDescription: '.patchgate/state.json',
        }),
        recording: takesText('Recording whose exchanges show it', { group: SOURCES }),
        'from-target': takesText('Base URL of the service: it is read there, by one GET', { group: SOURCES }),
        header: takesText("Header of that GET, as in curl: 'Authorization: Bearer ...'; repeat it for more", {
          group: 'Target:',
        }),
        'write-full': takesText('File to write the body to that loses no environment'),
        format: formatOf('Of the plan', 'text', 'json'),
      })
      .example('$0 plan body.json --project 42', 'against what the proxy has seen')
      .example('$0 plan body.json --project 42 --write-full body.json', 'and keep what would be lost')
      .example('$0 plan - --project 42 --recording checkout < body.json', 'against a recording')
      .example(
        '$0 plan body.json --project 42 --store postgres://db.example.com/gates',
        'against what the gates of a fleet know',
      )
      .example(
        '$0 plan body.json --project 42 --from-target https://staging.example.com/api/v2',
        'against the service',
      )
      .epilogue(
        'Exit codes: 0 no environment is lost (but those of --allow-delete), 3 one is deleted or replaced, 2 could not tell.',
      ),
  handler: async (argv) => {
    const { config, origins } = await resolveConfig(flagsOf(argv), COMMAND_DEFAULTS.plan);
    const { body, project, recording, fromTarget, header, writeFull, format } = argv as unknown as Args;
    const source = sourceOf({
      state: config.state,
      isStateFlag: origins.state === 'flag',
      hasStore: config.store !== undefined,
      isStoreFlag: origins.store === 'flag',
      recording: recording === undefined ? undefined : config.recording,
      recordings: config.recordings,
      fromTarget: once('from-target', fromTarget),
      headers: headersOf(all(header)),
    });
    const { basePath = '' } = config;
    const { target } = config;
    const store = source.kind === 'store' || source.kind === 'recording' ? config.store : undefined;
    const run = (database: Database | undefined) =>
      runPlan(
        {
          database,
          service: target === undefined ? undefined : parseTarget(target).origin,
          // yargs loses a lone - among the positionals, though it counts it.
          body: body === '' && process.argv.includes('-') ? '-' : body,
          project: once('project', project) as string,
          // It may go on into the operation's own path.
          basePath: basePath.replace(/\/accounts(?:\/.*)?$/, ''),
          source,
          target: config,
          format,
          redaction: config,
          isColoured: isColoured(process.stdout, process.env),
          writeFull: once('write-full', writeFull),
          now: Date.now(),
        },
        {
          output: standardOutput(),
          say,
          get stdin() {
            return process.stdin;
          },
          cwd: process.cwd(),
        },
        // Whatever a proxy of the same config does; and what it forwards to is not asked here.
        () => judgingGate({ ...config, guard: 'on', target: undefined }),
      );
    process.exitCode = await withDatabase({ store }, run);
  },
};

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
  format: keyof typeof FORMATS;
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

/** What says what the project holds. */
export type Source =
  /** @property mustExist it was named: that it is missing is a mistake */
  | { kind: 'state'; file: string; mustExist: boolean }
  | { kind: 'store' }
  | { kind: 'recording'; folder: string; name: string }
  | { kind: 'target'; url: string; headers: readonly string[] };

export interface Given {
  /** `""`: there is to be none. */
  state: string | undefined;
  isStateFlag: boolean;
  /** Gates share what they know in a database. */
  hasStore: boolean;
  isStoreFlag: boolean;
  recording: string | undefined;
  recordings: string;
  fromTarget: string | undefined;
  headers: readonly string[];
}

/** @throws PatchgateError `bad-usage` where there is not one, or more than one */
export function sourceOf(given: Given): Source {
  const { state = STATE_BY_DEFAULT, isStateFlag, recording, recordings, fromTarget, headers } = given;
  // A recording may be in the database, too.
  const isStoreNamed = given.isStoreFlag && recording === undefined;
  const named = [
    isStateFlag && state !== '' ? '--state' : undefined,
    isStoreNamed ? '--store' : undefined,
    recording === undefined ? undefined : '--recording',
    fromTarget === undefined ? undefined : '--from-target',
  ].filter((flag) => flag !== undefined);
  if (named.length > 1) {
    throw new PatchgateError('bad-usage', `${named.join(' and ')} cannot be given together`, {
      hint: 'what the project holds is known from one of them',
    });
  }
  if (fromTarget !== undefined) return { kind: 'target', url: fromTarget, headers };
  if (headers.length > 0) {
    throw new PatchgateError('bad-usage', '--header has no meaning without --from-target', {
      hint: 'nothing is sent where the project is not read from a service',
    });
  }
  if (recording !== undefined) return { kind: 'recording', folder: recordings, name: recording };
  if (given.hasStore && (!isStateFlag || state === '')) return { kind: 'store' };
  if (state !== '') return { kind: 'state', file: state, mustExist: isStateFlag };
  throw new PatchgateError('bad-usage', 'nothing says what the project holds', {
    hint: 'give --state FILE, --recording NAME, --from-target URL or --store URL',
  });
}

interface AskedRequest {
  name: RecordName;
  /** The path of the project. */
  path: string;
  gate: Gate;
  target: TargetSettings;
  database: Database | undefined;
  service: string | undefined;
  /** Milliseconds since the epoch. */
  now: number;
}

/** What a source knows of a project. */
interface Told {
  known: Known | undefined;
  /** Where from, for people. */
  source: string;
  /** What to do where that is not enough. */
  advice: string;
}

const READ_IT = 'read it from the service: --from-target URL';

/** @throws PatchgateError where the source cannot be read, or does not hold what it must */
async function readSource(source: Source, asked: AskedRequest): Promise<Told> {
  const { name, path, gate, target, database, service, now } = asked;
  if (source.kind === 'target') {
    // Its client takes 50 ms to load.
    const { readTarget } = await import('./plan/read-target.ts');
    const known = await readTarget(source.url, source.headers, name, path, target);
    return { known, source: source.url, advice: '' };
  }
  const state = new KnownState();
  if (source.kind === 'recording') {
    for await (const { exchange } of chosenIn({ ...source, database }, {}))
      recordedUpdate(gate, LEARNT, exchange)?.apply(state);
    return {
      known: state.of(name),
      source: `the recording ${source.name}`,
      advice: `record a GET of it, or ${READ_IT}`,
    };
  }
  const advice = `let a GET or a PATCH of it pass through patchgate proxy, or ${READ_IT}`;
  if (source.kind === 'store') {
    const { knownOf } = await import('../postgres/states.ts');
    for (const one of await knownOf(database as Database, name, service)) state.restore(one.name, one.known);
    const about = service === undefined ? '' : `, about ${service}`;
    return { known: state.of(name), source: `${(database as Database).name}${about}`, advice };
  }
  const { file, mustExist } = source;
  const kept = readKept(file);
  // A running proxy may write both meanwhile.
  const writtenAt = Math.max(...(await Promise.all([file, journalOf(file)].map(timeOf))));
  if (writtenAt === 0 && mustExist) {
    throw new PatchgateError('bad-input', `cannot read the state ${visible(file)}: it does not exist`, {
      hint: 'check the path given with --state; patchgate proxy writes one',
    });
  }
  if (writtenAt === 0) return { known: undefined, source: `${file}, which does not exist`, advice };
  for (const { name, known } of kept.records.values()) state.restore(name, known);
  const age = ageSince(writtenAt, now);
  const from = kept.target === undefined ? '' : `, about ${kept.target}`;
  return {
    known: state.of(name),
    source: `${file} (written ${age === 'now' ? 'just now' : `${age} ago`}${from})`,
    advice,
  };
}

/** 0 where it is not there. */
async function timeOf(file: string): Promise<number> {
  const stats = await stat(file).catch(() => undefined);
  return stats?.mtimeMs ?? 0;
}
