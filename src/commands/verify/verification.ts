import { resolve } from 'node:path';
import type { Gate } from '../../gate/gate.ts';
import type { Knowledge } from '../../guard/knowledge.ts';
import { recordedUpdate, type SentExchange } from '../../guard/recorded-history.ts';
import { findOffsets } from '../../json/json-text.ts';
import type { Exchange, RecordedResponse } from '../../model/exchange.ts';
import type { SeveritySetting, Verdict } from '../../model/finding.ts';
import { LEARNT } from '../../model/record.ts';
import type { SeverityOverride } from '../../model/severity-override.ts';
import { jsonOf } from '../../recordings/body.ts';
import {
  compareAnswers,
  type Drift,
  type DriftRules,
  Drifts,
} from '../../recordings/drift/compare-answers.ts';
import { DRIFT_RULES } from '../../recordings/drift/drift-rules.ts';
import { keepIgnored } from '../../recordings/drift/keep-ignored.ts';
import { recordedRequest } from '../../recordings/plain-exchange.ts';
import { redactExchange } from '../../recordings/redaction/redact.ts';
import type { RecordingStore } from '../../recordings/store/recording-store.ts';
import { type PlacedFinding, type Subject, subjectOf } from '../../reporters/report.ts';
import type { Suppression } from '../../settings/extras.ts';
import type { KnownState } from '../../state/known-state.ts';
import { TargetFailure } from '../../upstreams/target.ts';
import type { Upstream } from '../../upstreams/upstream.ts';
import { pointersInText, requestPlaces, type TextPointer } from '../check/places.ts';
import { applySuppressions } from '../check/suppress.ts';
import {
  type AskOptions,
  askTarget,
  meaningOf,
  type Sendable,
  sendable,
  sentHead,
  upstreamRequest,
  whyIncomparable,
} from './send.ts';
import { type AcceptedAnswers, isAcceptable, type Kept, type VerifiedFiles } from './verified-files.ts';

/** What is to be asked again, once, and what was answered: never none, oldest first. */
export type ReplayRequest = readonly [Kept, ...Kept[]];

interface VerificationOptions {
  store: RecordingStore;
  upstream: Upstream;
  ask: AskOptions;
  /** Says whether a change may be sent. */
  gate: Gate;
  /** What this run has seen of the service, of these kinds of record. */
  state: KnownState;
  /** Reads a record from the target; undefined: nothing is read. */
  find: Knowledge['find'];
  /** Whether PATCHes are sent. */
  isUnsafe: boolean;
  /** Name, value, name, value, … */
  headers: readonly string[];
  drift: DriftRules;
  severities: { rules: Readonly<Record<string, SeveritySetting>>; overrides: readonly SeverityOverride[] };
  /** Those of drift. */
  suppressions: readonly Suppression[];
  cwd: string;
  /** `2026-11-21` */
  today: string;
  /** Takes what is to be written; absent: nothing is. */
  accepted?: AcceptedAnswers | undefined;
}

/** Failures in a row after which there is no target to speak of. */
const MOST_FAILURES = 3;
/** Findings of one answer that are reported, as of a verdict of the gate. */
const MOST_FINDINGS = 100;

/** Sends the requests of a recording again, one after the other, and tells the files what came of it. */
export class Verification {
  /** Requests that were sent, answered or not. */
  sent = 0;
  /** How many of each method were not to be sent. */
  readonly left = new Map<string, number>();
  /** Of those that have several answers in the recording, how many had one replaced. */
  replacedOneOfMany = 0;
  /** Answers that ask for other credentials, and are not recorded so. */
  refused = 0;
  /** PATCHes that the gate kept from being sent. */
  blocked = 0;
  readonly #options: VerificationOptions;
  readonly #files: VerifiedFiles;
  #answered = 0;
  #failures: TargetFailure[] = [];

  constructor(options: VerificationOptions, files: VerifiedFiles) {
    this.#options = options;
    this.#files = files;
  }

  /** @throws PatchgateError where nothing can be sent to the target, or it seems to be gone */
  async ask(replayed: ReplayRequest): Promise<void> {
    const { headers, isUnsafe, gate } = this.#options;
    const last = replayed.at(-1) as Kept;
    const { request } = last.exchange;
    const meaning = meaningOf(gate, sentHead(request, headers), request.query);
    if (meaning === 'other' || (meaning === 'change' && !isUnsafe)) {
      for (const kept of replayed) this.#files.leave(kept);
      this.left.set(request.method, (this.left.get(request.method) ?? 0) + replayed.length);
      return;
    }
    const [first, ...others] = replayed.filter(({ exchange }) => !whyIncomparable(exchange));
    if (!first) return this.#files.skip(last, whyIncomparable(last.exchange) as string);
    const ready = sendable(request, headers);
    if ('why' in ready) this.#files.skip(last, ready.why);
    else if (meaning === 'read' || (await this.#passes(last, ready)))
      await this.#send([first, ...others], ready, meaning === 'read');
  }

  /** @throws PatchgateError the target's failure, where it has answered nothing */
  end(): void {
    if (this.#failures[0] && this.#answered === 0) throw this.#failures[0];
  }

  /** Whether the gate lets a change pass; what it finds is told where it does not. */
  async #passes(kept: Kept, ready: Sendable): Promise<boolean> {
    const { gate, state, find, ask } = this.#options;
    const { head, body } = ready;
    const match = gate.match(head);
    const record = match && gate.recordOf(match);
    if (record && gate.guards(record.kind) && !state.of(record))
      await find?.(record, { ...upstreamRequest(ready, ask.target), cameAt: performance.now() });
    const context = { known: record && state.of(record), file: resolve(this.#files.nameOf(kept)) };
    const { verdict } = gate.inspect({ ...head, body }, match, context);
    if (verdict.outcome === 'pass') return true;
    this.blocked++;
    const facts = this.#files.factsOf(kept);
    const places = requestPlaces(`${facts.pointer}/request`, kept.exchange.request);
    const pointers = pointersInText(places, body, verdict.findings);
    this.#files.add(kept, subjectOf(facts, unsent(verdict)), pointers);
    return false;
  }

  async #send(replayed: ReplayRequest, ready: Sendable, isRead: boolean): Promise<void> {
    const { upstream, ask, isUnsafe } = this.#options;
    this.sent++;
    let live = await askTarget(upstream, ready, ask);
    // The target may have closed a connection that was idle just when it was to be used again.
    if (isRead && this.#answered > 0 && live instanceof TargetFailure && live.kind === 'reset')
      live = await askTarget(upstream, ready, ask);
    if (live instanceof TargetFailure) {
      const last = replayed.at(-1) as Kept;
      const request = recordedRequest(upstreamRequest(ready, ask.target), ready.body, undefined);
      // It may have been applied all the same.
      this.#learn({ request, failure: { kind: live.kind } });
      this.#failures.push(live);
      if (live.kind === 'refused' || this.#failures.length >= MOST_FAILURES) throw live;
      const drifts = new Drifts();
      drifts.add('drift.no-answer', 'status', () => live.message);
      return this.#tell(last, drifts);
    }
    this.#answered++;
    this.#failures = [];
    // What is redacted must be known all the same: a name that no report shows is lost as any other. Reads alone need none of it.
    if (isUnsafe) this.#learn(live.unredacted());
    this.#compare(replayed, live.exchange);
  }

  #learn(exchange: SentExchange): void {
    const { gate, state } = this.#options;
    recordedUpdate(gate, LEARNT, exchange)?.apply(state);
  }

  #compare(replayed: ReplayRequest, live: Exchange): void {
    const { drift, accepted } = this.#options;
    const answer = live.response as RecordedResponse;
    const { kept, drifts } = this.#nearest(replayed, answer);
    const recorded = kept.exchange.response as RecordedResponse;
    accepted?.see(answer, recorded);
    if (asksForCredentials(answer) && !asksForCredentials(recorded)) this.refused++;
    const accept = () => {
      const text = JSON.stringify(recorded);
      const alike = replayed.filter(({ exchange }) => JSON.stringify(exchange.response) === text);
      accepted?.add(alike, keepIgnored(recorded, answer, drift.ignored), live.meta.durationMs);
      if (alike.length < replayed.length) this.replacedOneOfMany++;
    };
    this.#tell(kept, drifts, accepted && isAcceptable(answer, recorded) ? accept : undefined);
  }

  /**
   * Of several recorded answers to one request, the service gave each at some time: a live one is compared with that from which it
   * differs least, the last of those. Another status is farther than anything.
   */
  #nearest(replayed: ReplayRequest, live: RecordedResponse): { kept: Kept; drifts: Drifts } {
    let nearest: { kept: Kept; drifts: Drifts; distance: number } | undefined;
    for (const kept of replayed.toReversed()) {
      const drifts = this.#driftsOf(kept.exchange, live);
      const isSameKind = kept.exchange.response?.status === live.status;
      const distance = isSameKind ? drifts.count : Number.POSITIVE_INFINITY;
      if (!nearest || distance < nearest.distance) nearest = { kept, drifts, distance };
      if (distance === 0) break;
    }
    return nearest as NonNullable<typeof nearest>;
  }

  #driftsOf(exchange: Exchange, live: RecordedResponse): Drifts {
    const { drift } = this.#options;
    // More may be secret today than when it was recorded.
    const recorded = redactExchange(exchange, drift.redaction).response as RecordedResponse;
    return compareAnswers(recorded, live, drift);
  }

  /** @param accept given where the live answer may take the place of the recorded one: called where it differs by what counts */
  #tell(kept: Kept, drifts: Drifts, accept?: () => void): void {
    const { suppressions } = this.#options;
    const facts = this.#files.factsOf(kept);
    const file = this.#files.nameOf(kept);
    const { told, findings, omitted } = this.#findingsOf(drifts, resolve(file), kept.exchange.request.path);
    let subject: Subject = { ...facts, outcome: 'pass', findings, omitted };
    const one = { file, kind: 'recording', subjects: [subject], unjudged: 0 } as const;
    if (suppressions.length > 0 && findings.length > 0)
      subject = applySuppressions([one], suppressions, this.#options)[0]?.subjects[0] as Subject;
    if (accept && (omitted > 0 || subject.findings.some(({ excuse }) => !excuse))) {
      accept();
      subject = updated(subject);
    }
    const { response } = kept.exchange;
    this.#files.add(kept, subject, placesOf(facts.pointer, response as RecordedResponse, told));
  }

  /** By the severities that hold for the answer's file, an absolute name, and path; errors first where there are very many. */
  #findingsOf(drifts: Drifts, file: string, path: string) {
    const { rules, overrides } = this.#options.severities;
    const holding = overrides.filter(
      ({ ofFile, paths }) => (ofFile?.(file) ?? true) && (!paths || isOfPaths(paths, path)),
    );
    const severityOf = (name: string) =>
      holding.findLast((one) => one.rules[name])?.rules[name] ??
      rules[name] ??
      DRIFT_RULES.find((rule) => rule.name === name)?.severity;
    const counting = drifts.told.flatMap((drift) => {
      const severity = severityOf(drift.rule) as SeveritySetting;
      return severity === 'off' ? [] : { drift, severity };
    });
    const isCut = counting.length > MOST_FINDINGS;
    const errors = isCut ? counting.filter(({ severity }) => severity === 'error') : [];
    const shown = [...new Set([...errors, ...counting])].slice(0, MOST_FINDINGS);
    return {
      told: shown.map(({ drift }) => drift),
      findings: shown.map(
        ({ drift: { rule, pointer, message }, severity }): PlacedFinding => ({
          ...{ rule, severity, basis: 'recorded', pointer, message: message() },
        }),
      ),
      omitted: counting.length - shown.length,
    };
  }
}

/** As for the gate, what stands before the operations' templates counts for nothing: a glob may begin at any part of a path. */
function isOfPaths({ globs, compile }: NonNullable<SeverityOverride['paths']>, path: string): boolean {
  const starts = [...path.matchAll(/\//g)].map(({ index }) => path.slice(index));
  return globs.some((glob) => starts.some(compile(glob)));
}

function asksForCredentials({ status }: RecordedResponse): boolean {
  return status === 401 || status === 403;
}

function updated(subject: Subject): Subject {
  const excuse = { by: 'update' } as const;
  const findings = subject.findings.map((finding): PlacedFinding => ({ excuse, ...finding }));
  return { ...subject, findings, ...(subject.omitted > 0 && { omittedExcuse: excuse }) };
}

/** What was not sent has done nothing. */
function unsent(verdict: Verdict): Verdict {
  const findings = verdict.findings.map((one) => ({ ...one, message: `not sent: ${one.message}` }));
  return { ...verdict, findings };
}

/** Where in a recording's file the values stand from which a live answer differs. @param pointer the exchange's: `/exchanges/3` */
function placesOf(pointer: string, { body }: RecordedResponse, drifts: readonly Drift[]): TextPointer[] {
  const at = (place: string): TextPointer => ({ pointer: `${pointer}/response${place}`, part: 'value' });
  const wanted = drifts.map((drift) => ({ pointer: drift.pointer, part: 'value' as const }));
  // In a body that is JSON, and is kept as a text for its spaces.
  const offsets =
    body && 'text' in body && jsonOf(body) !== undefined ? findOffsets(body.text, wanted) : undefined;
  return drifts.map((drift, index) => {
    if (drift.at !== 'body') return at(`/${drift.at}`);
    if (body && 'json' in body) return at(`/body/json${drift.pointer}`);
    if (offsets) return { ...at('/body/text'), within: { offset: offsets[index] as number, of: 'text' } };
    return at(body && 'text' in body ? '/body/text' : '/body');
  });
}
