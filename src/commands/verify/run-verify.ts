import { closing, openRecording, orClose, rulesOf } from '../../app/open-recording.ts';
import { PatchgateError } from '../../errors.ts';
import type { Gate } from '../../gate/gate.ts';
import { readingRecords } from '../../guard/reading-records.ts';
import { header } from '../../http/http.ts';
import { patternTree } from '../../json/pointer-pattern.ts';
import { DRIFT_RULES, isDriftRule } from '../../recordings/drift/drift-rules.ts';
import { findRecording } from '../../recordings/find-recording.ts';
import type { MatchRules } from '../../recordings/matching/match-rules.ts';
import type { LockWords } from '../../recordings/store/lock.ts';
import { fails, type Report } from '../../reporters/report.ts';
import { amount } from '../../reporters/wording.ts';
import type { Config } from '../../settings/config.ts';
import { workspaceOf } from '../../settings/config.ts';
import { KnownState } from '../../state/known-state.ts';
import { type Forward, forward } from '../../upstreams/forward.ts';
import { parseTarget, type Target } from '../../upstreams/target.ts';
import { readTargetTls } from '../../upstreams/target-tls.ts';
import { version } from '../../version.ts';
import { checkSuppressedRules, remarksOn } from '../check/known/suppress.ts';
import { hideSecrets } from '../check/report/hide-secrets.ts';
import { checkOutputs, type ReportOutput } from '../check/report/outputs.ts';
import type { ProgressLine } from '../check/report/progress.ts';
import { type ReportIo, writeReports } from '../check/report/write-reports.ts';
import { chooser, isSelecting, nothingSelected, type Selection } from '../recordings/selection.ts';
import { AcceptedAnswers } from './accepted-answers.ts';
import { questionsOf } from './questions.ts';
import { staleChanges } from './stale-changes.ts';
import { Verification } from './verification.ts';
import { VerifiedFiles } from './verified-files.ts';
import { remarksOfRun } from './verify-remarks.ts';

export interface VerifyArgs {
  config: Config;
  selection: Selection;
  /** Headers of each request: name, value, name, value, … */
  headers: readonly string[];
  /** Send PATCHes that pass the gate, too. */
  isUnsafe: boolean;
  /** Take the live answers into the recording. */
  updates: boolean;
  outputs: readonly ReportOutput[];
}

export interface VerifyIo extends ReportIo {
  /** Takes one notice for people. */
  notice(text: string): void;
  readonly progress?: Pick<ProgressLine, 'show' | 'clear'>;
  /** `2026-11-21` */
  readonly today: string;
  readonly stopped: AbortSignal;
}

const ONLY_READ = 'verify without --update, which only reads';

/** Who writes to the recording may be a proxy, or another run of verify. */
const UPDATING: LockWords = {
  thing: 'the recording',
  doing: 'writing to it',
  instead: { here: ONLY_READ, elsewhere: `wait for its end, or ${ONLY_READ}` },
  place: ONLY_READ,
};

/**
 * Sends the requests of a recording again, one after the other: the target is not to feel it, and what they do to it happens in
 * the order in which it was recorded. Reports how the answers differ.
 *
 * @param createGate called once it is clear that there is a recording
 * @returns the exit code: 0 clean, 1 drift at or above `failOn`
 * @throws PatchgateError where it could not run to its end; then nothing was reported or written
 */
export async function runVerify(
  args: VerifyArgs,
  io: VerifyIo,
  createGate: () => Promise<Gate>,
): Promise<0 | 1> {
  const { config, selection, updates, outputs } = args;
  const target = targetOf(config);
  const choose = chooser(selection);
  const root = await findRecording(config.recordings, config.recording);
  checkOutputs(outputs, [root], io.cwd);
  const gate = await createGate();
  checkSuppressedRules(config.suppressions, gate.rules);
  const suppressions = config.suppressions.filter(({ rule }) => isDriftRule(rule));
  const rules = rulesOf(config);
  const upstream = await openTarget(target, config, io);
  const files = new VerifiedFiles(root);
  const accepted = updates ? new AcceptedAnswers(root) : undefined;
  const store = await orClose(upstream, () =>
    openRecording(config, rules, io.notice, { writable: updates, lockWords: UPDATING }),
  );
  const report: Report = {
    command: 'verify',
    files: [],
    rules: args.isUnsafe ? [...DRIFT_RULES, ...gate.rules] : DRIFT_RULES,
  };
  try {
    const verification = new Verification(
      {
        store,
        upstream,
        ask: { target, rules, timeout: config.timeout, bodyLimit: config.recordLimit, stopped: io.stopped },
        judge: judgeOf(gate, config, rules, upstream, io),
        isUnsafe: args.isUnsafe,
        headers: withAgent(args.headers),
        rules: driftRulesOf(config, rules),
        severities: config,
        suppressions,
        cwd: io.cwd,
        today: io.today,
        ...(accepted && { accepted }),
      },
      files,
    );
    let questions = 0;
    for (const question of questionsOf(store, choose, rules, args.isUnsafe)) {
      questions++;
      await verification.ask(question);
      io.progress?.show(() => `sent ${amount(verification.sent, 'request')}`);
    }
    // A misspelt path would find no drift for ever.
    if (questions === 0 && isSelecting(selection)) throw nothingSelected(config.recording);
    verification.end();
    report.files = hideSecrets(files.settled(), rules.redaction);
    const stale = accepted && staleChanges(store, accepted.all());
    await accepted?.write();
    const { left, refused, blocked, replacedOneOfMany } = verification;
    const { recording } = config;
    const { isUnsafe } = args;
    report.remarks = [
      ...remarksOn(suppressions, report.files, io),
      ...remarksOfRun(report, {
        ...{ recording, isUnsafe, left, refused, blocked, accepted, replacedOneOfMany, stale },
        redaction: rules.redaction,
      }),
    ];
  } finally {
    io.progress?.clear();
    await closing(upstream, store)();
  }
  await writeReports(report, outputs, io, { failOn: config.failOn, hasBaseline: false });
  return fails(report, config.failOn) ? 1 : 0;
}

/** Who asks: some services refuse a request that does not say. */
function withAgent(headers: readonly string[]): readonly string[] {
  if (header(headers, 'user-agent') !== undefined) return headers;
  return [...headers, 'user-agent', `patchgate/${version()}`];
}

function targetOf({ target }: Config): Target {
  if (target !== undefined) return parseTarget(target);
  throw new PatchgateError('bad-usage', 'no target is given', {
    hint: 'patchgate verify --recording checkout --target https://staging.example.com/api/v2',
  });
}

async function openTarget(target: Target, config: Config, { notice }: VerifyIo): Promise<Forward> {
  const tls = await readTargetTls(target, config);
  if (!tls.rejectUnauthorized)
    notice(`the certificate of ${target.origin} is not verified (--target-insecure)`);
  const { timeout } = config;
  return forward({
    target,
    tls,
    answeredBy: 'target',
    timeout,
    preserveHost: false,
    forwardedHeaders: false,
  });
}

function judgeOf(
  gate: Gate,
  config: Config,
  { redaction }: MatchRules,
  upstream: Forward,
  { notice }: VerifyIo,
) {
  const { learn, timeout } = config;
  const state = new KnownState({ account: workspaceOf(config) });
  const find = config.readState
    ? readingRecords(state, upstream, { kinds: learn, timeout, redaction, notice })
    : undefined;
  return { gate, state, learn, find };
}

function driftRulesOf({ ignoreDrift, driftHeaders }: Config, { sets, redaction }: MatchRules) {
  const headers = new Set(driftHeaders.map((name) => name.toLowerCase()));
  return { ignored: patternTree(ignoreDrift), sets, headers, redaction };
}
