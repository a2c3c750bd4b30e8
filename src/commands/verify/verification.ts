import { resolve } from 'node:path';
import type { Exchange, RecordedResponse } from '../../model/exchange.ts';
import type { Verdict } from '../../model/finding.ts';
import type { DriftRules } from '../../recordings/drift/compare-answers.ts';
import { Drifts } from '../../recordings/drift/drifts.ts';
import { keepIgnored } from '../../recordings/drift/keep-ignored.ts';
import type { RecordingStore } from '../../recordings/store/recording-store.ts';
import { type CheckedFile, type PlacedFinding, type Subject, subjectOf } from '../../reporters/report.ts';
import type { Suppression } from '../../settings/extras/check-suppressions.ts';
import { TargetFailure } from '../../upstreams/target-failure.ts';
import type { Upstream } from '../../upstreams/upstream.ts';
import { excuseSuppressed } from '../check/known/suppress.ts';
import { pointersInText, requestPlaces } from '../check/places/places-in-file.ts';
import { type AcceptedAnswers, isAcceptable } from './accepted-answers.ts';
import { type AskOptions, askTarget, sentRequest } from './ask-target.ts';
import { driftPlaces } from './drift-places.ts';
import { type DriftSeverities, findingDrift } from './drift-severities.ts';
import { type Judge, judgeChange, learnFrom } from './judge-change.ts';
import { answeredAlike, type Held, nearestAnswer } from './nearest-answer.ts';
import type { Kept, Question } from './questions.ts';
import { meaningOf, type Sendable, sendable, sentHead, whyIncomparable } from './sendable.ts';
import type { VerifiedFiles } from './verified-files.ts';

export interface VerificationOptions {
  store: RecordingStore;
  upstream: Upstream;
  ask: AskOptions;
  judge: Judge;
  /** Whether PATCHes are sent. */
  isUnsafe: boolean;
  /** Name, value, name, value, … */
  headers: readonly string[];
  rules: DriftRules;
  severities: DriftSeverities;
  /** Those of drift. */
  suppressions: readonly Suppression[];
  cwd: string;
  /** `2026-11-21` */
  today: string;
  /** Takes what is to be written; absent: nothing is. */
  accepted?: AcceptedAnswers;
}

/** Failures in a row after which there is no target to speak of. */
const MOST_FAILURES = 3;

/** Asks the questions of a recording again, one after the other, and tells the files what came of it. */
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
  readonly #findingsOf: ReturnType<typeof findingDrift>;
  #answered = 0;
  #failures: TargetFailure[] = [];

  constructor(options: VerificationOptions, files: VerifiedFiles) {
    this.#options = options;
    this.#files = files;
    this.#findingsOf = findingDrift(options.severities);
  }

  /** @throws PatchgateError where nothing can be sent to the target, or it seems to be gone */
  async ask(question: Question): Promise<void> {
    const { store, headers, isUnsafe, judge } = this.#options;
    const last = question.at(-1) as Kept;
    const { request } = last.exchange;
    const meaning = meaningOf(judge.gate, sentHead(request, headers), request.query);
    if (meaning === 'other' || (meaning === 'change' && !isUnsafe)) {
      for (const kept of question) this.#files.leave(kept);
      this.left.set(request.method, (this.left.get(request.method) ?? 0) + question.length);
      return;
    }
    const [first, ...others] = question.filter(({ exchange }) => !whyNot(exchange));
    if (!first) return this.#files.skip(last, whyNot(last.exchange) as string);
    const ready = sendable(request, headers, store);
    if ('why' in ready) this.#files.skip(last, ready.why);
    else if (meaning === 'read' || (await this.#passes(last, ready)))
      await this.#send([first, ...others], ready, meaning === 'read');
  }

  /** @throws PatchgateError the target's failure, where it has answered nothing */
  end(): void {
    const [failure] = this.#failures;
    if (failure && this.#answered === 0) throw failure;
  }

  /** Whether the gate lets a change pass; what it finds is told where it does not. */
  async #passes(kept: Kept, ready: Sendable): Promise<boolean> {
    const { judge, ask } = this.#options;
    const verdict = await judgeChange(judge, ready, ask, resolve(this.#files.nameOf(kept)));
    if (verdict.outcome === 'pass') return true;
    this.blocked++;
    const facts = this.#files.factsOf(kept);
    const places = requestPlaces(`${facts.pointer}/request`, kept.exchange.request);
    const pointers = pointersInText(places, ready.body, verdict.findings);
    this.#files.add(kept, subjectOf(facts, unsent(verdict)), pointers);
    return false;
  }

  async #send(question: Question, ready: Sendable, isRead: boolean): Promise<void> {
    const { upstream, ask, judge, isUnsafe } = this.#options;
    this.sent++;
    let live = await askTarget(upstream, ready, ask);
    // The target may have closed a connection that was idle just when it was to be used again.
    if (isRead && this.#answered > 0 && live instanceof TargetFailure && live.kind === 'reset')
      live = await askTarget(upstream, ready, ask);
    if (live instanceof TargetFailure) {
      const last = question.at(-1) as Kept;
      // It may have been applied all the same.
      const { meta } = last.exchange;
      learnFrom(judge, { request: sentRequest(ready, ask), failure: { kind: live.kind }, meta });
      return this.#failed(last, live);
    }
    this.#answered++;
    this.#failures = [];
    // What is hidden from people must be known all the same: a name that nobody sees is lost as any other. It costs as much as
    // the body is long, and without PATCHes nobody asks.
    if (isUnsafe) learnFrom(judge, live.unredacted());
    this.#compare(question, live.exchange);
  }

  #failed(kept: Kept, failure: TargetFailure): void {
    this.#failures.push(failure);
    if (failure.kind === 'refused' || this.#failures.length >= MOST_FAILURES) throw failure;
    const drifts = new Drifts();
    drifts.add('drift.no-answer', 'status', [], () => failure.message);
    this.#tell({ kept, drifts });
  }

  #compare(question: Question, live: Exchange): void {
    const { rules, store, accepted } = this.#options;
    const answer = live.response as RecordedResponse;
    const held = nearestAnswer(question, answer, rules, store);
    const recorded = held.kept.exchange.response as RecordedResponse;
    accepted?.see(answer, recorded);
    if (asksForCredentials(answer) && !asksForCredentials(recorded)) this.refused++;
    const accept = () => {
      const alike = answeredAlike(question, held.kept);
      accepted?.add(alike, { ...live, response: keepIgnored(recorded, answer, rules.ignored) });
      if (alike.length < question.length) this.replacedOneOfMany++;
    };
    this.#tell(held, accepted && isAcceptable(answer, recorded) ? accept : undefined);
  }

  /** @param accept given where the live answer may take the place of the recorded one: called where it differs by what counts */
  #tell({ kept, drifts }: Held, accept?: () => void): void {
    const { request, response } = kept.exchange;
    const facts = this.#files.factsOf(kept);
    const file = this.#files.nameOf(kept);
    const { found, omitted } = this.#findingsOf(drifts, resolve(file), request.path);
    const findings = found.map(({ finding }) => finding);
    let subject = this.#excused(file, { ...facts, outcome: 'pass', findings, omitted });
    if (accept && (omitted > 0 || subject.findings.some(({ excuse }) => !excuse))) {
      accept();
      subject = updated(subject);
    }
    const told = found.map(({ drift }) => drift);
    this.#files.add(kept, subject, driftPlaces(facts.pointer, response as RecordedResponse, told));
  }

  #excused(file: string, subject: Subject): Subject {
    const { suppressions } = this.#options;
    if (suppressions.length === 0 || subject.findings.length === 0) return subject;
    const checked: CheckedFile = { file, kind: 'recording', subjects: [subject], unjudged: 0 };
    return excuseSuppressed([checked], suppressions, this.#options)[0]?.subjects[0] as Subject;
  }
}

function whyNot({ request, response, failure }: Exchange): string | undefined {
  return whyIncomparable(request, failure ? undefined : response);
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
  const findings = verdict.findings.map((finding) => ({
    ...finding,
    message: `not sent: ${finding.message}`,
  }));
  return { ...verdict, findings };
}
