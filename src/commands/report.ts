import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { CommandModule } from 'yargs';
import { judgingGate } from '../app/compose-gate.ts';
import type { Gate } from '../gate/gate.ts';
import type { AuditLine } from '../model/audit.ts';
import { type LosingEffect, losesEnvironment } from '../model/effect.ts';
import { redactText } from '../recordings/redaction/redact.ts';
import { type RedactionSettings, redactionOf } from '../recordings/redaction/redaction.ts';
import {
  enforcementJson,
  enforcementMarkdown,
  enforcementText,
  type Reason,
  type Reported,
  Tally,
} from '../reporters/enforcement.ts';
import { type CheckedFile, placeOf, type Subject } from '../reporters/report.ts';
import { resolveConfig, workspaceOf } from '../settings/config.ts';
import { COMMAND_DEFAULTS } from '../settings/settings.ts';
import { findInputs } from './check/find-inputs.ts';
import { hideSecrets } from './check/hide-secrets.ts';
import { type InitialStateOptions, readInitialState } from './check/history.ts';
import { type JudgedAs, judgeAll } from './check/judge.ts';
import { STDIN } from './check/read-input.ts';
import { type CheckIo, standardIo } from './check/standard-io.ts';
import { once } from './given.ts';
import { flagsOf, formatOf, GUARDING, JUDGING, REDACTION, withSettings } from './options.ts';
import { beginsAsAudit, isAudit, readAudit } from './report/read-audit.ts';

const FORMATS = { text: enforcementText, json: enforcementJson, markdown: enforcementMarkdown } as const;

export const report: CommandModule = {
  builder: (yargs) =>
    withSettings(yargs, [
      ...JUDGING.filter((name) => name !== 'validation'),
      ...GUARDING,
      ...REDACTION,
      'learn',
      'state',
      'recordings',
    ])
      .positional('files', {
        type: 'string',
        array: true,
        demandOption: true,
        describe: 'Audit files, HTTP archives, files, folders and names of recordings, - for standard input',
      })
      .option('format', { ...formatOf('Of the report', 'text', 'json', 'markdown'), alias: 'f' })
      .example('$0 report audit.jsonl', 'what would --validation enforce have blocked?')
      .example('$0 report checkout --format markdown', 'of a recording, for a ticket'),
  handler: async (argv) => {
    const { config, origins } = await resolveConfig(flagsOf(argv), COMMAND_DEFAULTS.report);
    const { files, ...given } = argv as unknown as { files: string[]; format: string | string[] };
    const format = once('format', given.format) as ReportArgs['format'];
    // yargs loses a lone - among the positionals, though it counts it.
    const inputs = process.argv.slice(2).includes(STDIN) ? [...files, STDIN] : files;
    const args = {
      ...config,
      inputs,
      format,
      account: workspaceOf(config),
      // A proxy's says what the service holds today, which is not what it held before a recording was made.
      state: (origins.state === 'flag' && config.state) || undefined,
      redaction: config,
    };
    await runReport(args, standardIo(), () => judgingGate(config));
  },
};

export interface ReportArgs extends InitialStateOptions, Pick<JudgedAs, 'bodies'> {
  inputs: readonly string[];
  format: keyof typeof FORMATS;
  guard: 'on' | 'strict' | 'off';
  recordings?: string;
  redaction?: RedactionSettings;
}

/**
 * Says what a gate that enforces would block of what went by: of an audit by what the gate said then, of all else by judging it.
 *
 * @throws PatchgateError where a file cannot be read; then nothing was written
 */
export async function runReport(
  args: ReportArgs,
  io: CheckIo,
  createGate: () => Gate | Promise<Gate>,
): Promise<void> {
  const { cwd } = io;
  const files = await findInputs(args.inputs, { ...args, cwd, say: io.stderr?.bind(io) });
  const stdin = files.includes(STDIN) ? await buffer(io.stdin) : undefined;
  const isOfAudit = (file: string) =>
    file === STDIN ? stdin !== undefined && beginsAsAudit(stdin) : isAudit(file, cwd);
  const audits = files.filter(isOfAudit);
  const others = files.filter((file) => !audits.includes(file));
  const tally = new Tally();
  for (const file of audits) {
    const chunks = file === STDIN && stdin ? [stdin] : undefined;
    for await (const { number, line } of readAudit(file === STDIN ? '<stdin>' : file, cwd, chunks))
      tally.add(fromAudit(line, `${file === STDIN ? '<stdin>' : file}:${number}`, args.guard !== 'off'));
  }
  if (others.length > 0) {
    const initial = await readInitialState(args, cwd);
    const again = { ...io, cwd, stdin: Readable.from(stdin ? [stdin] : []) };
    const judged = await judgeAll(await createGate(), others, args, initial, again).finally(() =>
      io.progress?.clear(),
    );
    const redaction = redactionOf(args.redaction);
    for (const file of hideSecrets(judged, redaction)) {
      tally.notConcerned += file.unjudged;
      tally.notJudged += file.skipped?.length ?? 0;
      for (const subject of file.subjects)
        tally.add(fromSubject(subject, file, (text) => redactText(text, redaction)));
    }
  }
  await io.stdout(FORMATS[args.format](tally.result()));
}

/** @param isGuarded what loses an environment counts, too: a gate without a guard has let it pass */
function fromAudit(line: AuditLine, place: string, isGuarded: boolean): Reported {
  const {
    time,
    method,
    path,
    operation,
    client,
    who,
    record,
    findings,
    effects = [],
    approved,
    status = 0,
  } = line;
  const isBlocked = line.verdict === 'block';
  const errors = findings.filter(({ severity }) => severity === 'error');
  const lost =
    approved || !isGuarded ? [] : effects.filter(losesEnvironment).filter(({ allowed }) => !allowed);
  const unsaid = lost.map(reasonOf).filter(({ rule }) => errors.every((error) => error.rule !== rule));
  const reasons = [...errors, ...unsaid.map((one) => findings.find(({ rule }) => rule === one.rule) ?? one)];
  return {
    ...{ place, time, method, path, operation, client: who ?? client, record, reasons, isBlocked },
    isOfAudit: true,
    isApproved: approved,
    hasDeleted: line.forwarded && status >= 200 && status < 300 && effects.some(losesEnvironment),
  };
}

/** What the guard would say of it. */
function reasonOf({ kind, id, name }: LosingEffect): Reason {
  const message = `environment ${id} (${name}) is deleted permanently`;
  return { rule: `project.${kind}`, pointer: '/environments', message };
}

function fromSubject(subject: Subject, { file }: CheckedFile, clean: (text: string) => string): Reported {
  const { pointer, method = 'PATCH', path = '', operation, outcome, findings, sent } = subject;
  const at = pointer === '' ? '' : ` (${pointer})`;
  const errors = outcome === 'block' ? findings.filter(({ severity }) => severity === 'error') : [];
  const record = sent?.record;
  return {
    ...{ place: `${file}${at}`, method, path, operation },
    time: sent?.time && isoTime(sent.time),
    client: sent?.client && clean(sent.client),
    record: record && {
      ...record,
      ...{ base: record.base && clean(record.base), account: clean(record.account), id: clean(record.id) },
    },
    reasons: errors.map((finding) => ({ ...finding, place: placeOf(file, finding) + at })),
    isOfAudit: false,
    isBlocked: false,
    isApproved: false,
    hasDeleted: false,
  };
}

/** Undefined where it is no time. */
function isoTime(text: string): string | undefined {
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}
