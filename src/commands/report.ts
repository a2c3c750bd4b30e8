import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { CommandModule } from 'yargs';
import { judgingGate } from '../app/compose-gate.ts';
import { withDatabase } from '../app/open-database.ts';
import { PatchgateError } from '../errors.ts';
import type { Gate } from '../gate/gate.ts';
import type { AuditLine } from '../model/audit.ts';
import { type LosingEffect, losesEnvironment } from '../model/effect.ts';
import type { Database } from '../postgres/database.ts';
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
import { resolveConfig } from '../settings/config.ts';
import { COMMAND_DEFAULTS } from '../settings/settings.ts';
import { findInputs } from './check/find-inputs.ts';
import { hideSecrets } from './check/hide-secrets.ts';
import { type InitialStateOptions, readInitialState } from './check/history.ts';
import { type JudgedAs, judgeAll } from './check/judge.ts';
import { STDIN } from './check/read-input.ts';
import { type CheckIo, standardIo } from './check/standard-io.ts';
import { once } from './given.ts';
import { flagsOf, formatOf, GUARDING, JUDGING, RECORDINGS, REDACTION, withSettings } from './options.ts';
import { beginsAsAudit, isAudit, readAudit } from './report/read-audit.ts';

const FORMATS = { text: enforcementText, json: enforcementJson, markdown: enforcementMarkdown } as const;

export const report: CommandModule = {
  builder: (yargs) =>
    withSettings(yargs, [
      ...JUDGING.filter((name) => name !== 'validation'),
      ...GUARDING,
      ...REDACTION,
      'state',
      ...RECORDINGS,
    ])
      .positional('files', {
        type: 'string',
        array: true,
        describe:
          'Audit files, HTTP archives, files, folders and names of recordings, - for standard input; none: the audit in the database of --store',
      })
      .option('format', { ...formatOf('Of the report', 'text', 'json', 'markdown'), alias: 'f' })
      .example('$0 report audit.jsonl', 'what would --validation enforce have blocked?')
      .example('$0 report checkout --format markdown', 'of a recording, for a ticket')
      .example(
        '$0 report --store postgres://db.example.com/gates',
        'of what all gates of a fleet have let by',
      ),
  handler: async (argv) => {
    const { config, origins } = await resolveConfig(flagsOf(argv), COMMAND_DEFAULTS.report);
    const { files = [], ...given } = argv as unknown as { files?: string[]; format: string | string[] };
    const format = once('format', given.format) as ReportArgs['format'];
    // yargs loses a lone - among the positionals, though it counts it.
    const inputs = process.argv.slice(2).includes(STDIN) ? [...files, STDIN] : files;
    const args = {
      ...config,
      inputs,
      format,
      // A proxy's says what the service holds today, which is not what it held before a recording was made.
      state: (origins.state === 'flag' && config.state) || undefined,
      redaction: config,
    };
    if (inputs.length === 0 && config.store === undefined)
      throw new PatchgateError('bad-usage', 'missing argument: patchgate report <files..>', {
        hint: 'give files to report of, or --store for the audit in a database',
      });
    const store = inputs.length === 0 ? config.store : undefined;
    await withDatabase({ store }, (database) =>
      runReport({ ...args, database }, standardIo(), () => judgingGate(config)),
    );
  },
};

export interface ReportArgs extends InitialStateOptions, Pick<JudgedAs, 'bodies'> {
  inputs: readonly string[];
  /** Whose audit is reported of in the place of inputs. */
  database?: Database | undefined;
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
  const tally = new Tally();
  const takeAudit = async (name: string, chunks?: Parameters<typeof readAudit>[2]) => {
    for await (const { number, line } of readAudit(name, cwd, chunks))
      tally.add(fromAudit(line, `${name}:${number}`, args.guard !== 'off'));
  };
  if (args.database) {
    const { auditOf } = await import('../postgres/stored-audit.ts');
    await takeAudit(args.database.name, auditOf(args.database));
  }
  const files = args.database
    ? []
    : await findInputs(args.inputs, { ...args, cwd, say: io.stderr?.bind(io) });
  const stdin = files.includes(STDIN) ? await buffer(io.stdin) : undefined;
  const isOfAudit = (file: string) =>
    file === STDIN ? stdin !== undefined && beginsAsAudit(stdin) : isAudit(file, cwd);
  const audits = files.filter(isOfAudit);
  const others = files.filter((file) => !audits.includes(file));
  for (const file of audits)
    await (file === STDIN && stdin ? takeAudit('<stdin>', [stdin]) : takeAudit(file));
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
    ...{ place, time, method, path, operation, client, record, reasons, isBlocked },
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
