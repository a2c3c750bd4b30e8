import { closing, orClose } from '../../app/closing.ts';
import { rulesOf } from '../../app/open-recording.ts';
import { PatchgateError } from '../../errors.ts';
import type { Gate } from '../../gate/gate.ts';
import { header } from '../../http/http.ts';
import { patternTree } from '../../json/pointer-pattern.ts';
import type { Exchange, RecordedResponse } from '../../model/exchange.ts';
import { RECORD_LIMIT } from '../../recordings/body.ts';
import { compareAnswers, type DriftRules } from '../../recordings/drift.ts';
import { findRecording } from '../../recordings/find-recording.ts';
import { requestKey } from '../../recordings/match.ts';
import type { MatchRules } from '../../recordings/match-rules.ts';
import { redactExchange, redactPath, redactText } from '../../recordings/redact/redact.ts';
import type { RecordingStore } from '../../recordings/store.ts';
import { openStore } from '../../recordings/store.ts';
import { amount, visible } from '../../reporters/wording.ts';
import type { Config } from '../../settings/config.ts';
import { openForward } from '../../upstreams/open-forward.ts';
import { secretsOf } from '../../upstreams/set-headers.ts';
import { parseTarget, TargetFailure } from '../../upstreams/target.ts';
import type { Upstream } from '../../upstreams/upstream.ts';
import { version } from '../../version.ts';
import type { ProgressLine } from '../check/standard-io.ts';
import type { Output } from '../output.ts';
import { RecordedHistory } from '../recorded-history.ts';
import { inOrder } from '../recordings/selection.ts';
import {
  type AskOptions,
  askTarget,
  meaningOf,
  type Sendable,
  sendable,
  sentHead,
  whyIncomparable,
} from './send.ts';

export interface VerifyArgs {
  config: Config;
  /** Headers of each request: name, value, name, value, … */
  headers: readonly string[];
  /** Paths whose PATCHes are sent, too, if they pass the gate. */
  patches: readonly string[];
}

interface VerifyIo {
  output: Output;
  /** Takes one notice for people. */
  notice(text: string): void;
  readonly progress?: Pick<ProgressLine, 'show' | 'clear'>;
  readonly stopped: AbortSignal;
}

/** Failures in a row after which there is no target to speak of. */
const MOST_FAILURES = 3;

/**
 * Sends the GETs of a recording again, one after the other, and the PATCHes that are named. Prints how the answers differ.
 *
 * @param createGate called once it is clear that there is a recording
 * @returns the exit code: 0 clean, 1 drift
 * @throws PatchgateError where it could not run to its end; then nothing was printed
 */
export async function runVerify(
  args: VerifyArgs,
  io: VerifyIo,
  createGate: () => Promise<Gate>,
): Promise<0 | 1> {
  const { config, patches } = args;
  const { recordings, recording, timeout } = config;
  if (config.target === undefined)
    throw new PatchgateError('bad-usage', 'no target is given', {
      hint: 'patchgate verify --recording checkout --target https://staging.example.com/api/v2',
    });
  const target = parseTarget(config.target);
  await findRecording(recordings, recording);
  const gate = await createGate();
  const rules = rulesOf(config, secretsOf(config.setHeader, process.env));
  const upstream = await openForward(target, config, process.env);
  if (upstream.isInsecure)
    io.notice(`the certificate of ${target.origin} is not verified (--target-insecure)`);
  const store = await orClose(upstream, () =>
    openStore(recordings, recording, { ...config, rules, onNotice: io.notice }),
  );
  const verification = new Verification({
    ...{ upstream, gate, patches },
    ask: { target, rules, timeout, bodyLimit: RECORD_LIMIT, stopped: io.stopped },
    headers: withAgent(args.headers),
    drift: { ignored: patternTree(config.ignorePointers), redaction: rules.redaction },
  });
  try {
    for (const group of requestsOf(store, rules, patches)) {
      await verification.verify(group);
      io.progress?.show(() => `sent ${amount(verification.sent, 'request')}`);
    }
    verification.end();
  } finally {
    io.progress?.clear();
    await closing(upstream, store);
  }
  await io.output.write(verification.text(recording));
  return verification.differing > 0 ? 1 : 0;
}

/** What is sent once, and the exchanges whose answers are right for it: never none. */
interface Group {
  sent: Exchange;
  recorded: readonly Exchange[];
}

/**
 * In the order of recording. Where nothing changes the service, requests that matching takes for one are sent once.
 *
 * @throws PatchgateError `bad-usage` where a path that is named has no PATCH; `bad-recording`, `cannot-read`
 */
function requestsOf(store: RecordingStore, rules: MatchRules, patches: readonly string[]): Group[] {
  const all = inOrder(store, () => true).map(({ exchange }) => exchange);
  const unknown = patches.find(
    (path) => !all.some(({ request }) => request.method === 'PATCH' && request.path === path),
  );
  if (unknown !== undefined)
    throw new PatchgateError('bad-usage', `the recording has no PATCH of ${unknown}`, {
      hint: 'give the path as patchgate recordings show prints it',
    });
  const byKey = new Map<string, Exchange[]>();
  const groups = all.map((sent) => {
    const key = requestKey(sent.request, rules);
    const recorded = byKey.get(key) ?? [];
    byKey.set(key, recorded);
    recorded.push(sent);
    return { sent, recorded };
  });
  return patches.length > 0 ? groups : groups.filter(({ sent, recorded }) => recorded.at(-1) === sent);
}

/** Who asks: some services refuse a request that does not say. */
function withAgent(headers: readonly string[]): readonly string[] {
  if (header(headers, 'user-agent') !== undefined) return headers;
  return [...headers, 'user-agent', `patchgate/${version()}`];
}

interface VerificationOptions {
  upstream: Upstream;
  ask: AskOptions;
  gate: Gate;
  patches: readonly string[];
  /** Name, value, name, value, … */
  headers: readonly string[];
  drift: DriftRules;
}

/** Sends requests again, one after the other, and gathers what came of it. */
class Verification {
  /** Requests that were sent, answered or not. */
  sent = 0;
  /** Those whose answer is another one today. */
  differing = 0;
  readonly #options: VerificationOptions;
  /** What this run has seen of the service. */
  readonly #seen: RecordedHistory;
  readonly #paragraphs: string[] = [];
  readonly #unsent: string[] = [];
  /** How many of each method change something, and were not named. */
  readonly #left = new Map<string, number>();
  #answered = 0;
  #refused = 0;
  #failures: TargetFailure[] = [];

  constructor(options: VerificationOptions) {
    this.#options = options;
    this.#seen = new RecordedHistory(options.gate);
  }

  /** @throws PatchgateError where nothing can be sent to the target, or it seems to be gone */
  async verify({ sent, recorded }: Group): Promise<void> {
    const { headers, gate, patches } = this.#options;
    const { request } = sent;
    const meaning = meaningOf(gate, sentHead(request, headers), request.query);
    if (meaning === 'other' || (meaning === 'change' && !patches.includes(request.path))) {
      this.#left.set(request.method, (this.#left.get(request.method) ?? 0) + recorded.length);
      return;
    }
    const comparable = recorded.filter((one) => whyIncomparable(one) === undefined);
    const ready = sendable(request, headers);
    if (comparable.length === 0 || 'why' in ready) {
      const why = 'why' in ready ? ready.why : whyIncomparable(sent);
      this.#unsent.push(`${this.#nameOf(sent)}: ${why}`);
      return;
    }
    const blocked = meaning === 'change' ? this.#whyBlocked(ready) : undefined;
    if (blocked === undefined) await this.#send(sent, comparable, ready, meaning === 'read');
    else this.#tell(sent, [`not sent, since the gate blocks it: ${blocked}`]);
  }

  /** @throws PatchgateError the target's failure, if it has answered nothing */
  end(): void {
    if (this.#failures[0] && this.#answered === 0) throw this.#failures[0];
  }

  #nameOf({ request: { method, path, query } }: Exchange): string {
    return `${method} ${redactPath(query === '' ? path : `${path}?${query}`, this.#options.drift.redaction)}`;
  }

  #whyBlocked({ head, body }: Sendable): string | undefined {
    const { gate } = this.#options;
    const match = gate.match(head);
    const record = match && gate.recordOf(match);
    const { verdict } = gate.inspect({ ...head, body }, match, { known: record && this.#seen.of(record) });
    if (verdict.outcome === 'pass') return undefined;
    return verdict.findings.find(({ severity }) => severity === 'error')?.message ?? '';
  }

  async #send(sent: Exchange, recorded: readonly Exchange[], ready: Sendable, isRead: boolean) {
    const { upstream, ask, drift } = this.#options;
    this.sent++;
    let live = await askTarget(upstream, ready, ask);
    // The target may have closed a connection that was idle just when it was to be used again.
    if (isRead && this.#answered > 0 && live instanceof TargetFailure && live.kind === 'reset')
      live = await askTarget(upstream, ready, ask);
    if (live instanceof TargetFailure) {
      this.#failures.push(live);
      // A PATCH may have been applied all the same.
      if (!isRead || live.kind === 'refused' || this.#failures.length >= MOST_FAILURES) throw live;
      return this.#tell(sent, [live.message]);
    }
    this.#answered++;
    this.#failures = [];
    // A name that no report shows is lost as any other.
    this.#seen.add(live.unredacted());
    const answer = live.exchange.response as RecordedResponse;
    if (answer.status === 401 || answer.status === 403) this.#refused++;
    // The service gave each of the recorded answers at some time: the nearest counts.
    const [nearest] = recorded
      .map((one) => compareAnswers(this.#answerOf(one), answer, drift))
      .sort((a, b) => a.count - b.count);
    this.#tell(sent, nearest?.lines ?? []);
  }

  /** More may be secret today than when it was recorded. */
  #answerOf(exchange: Exchange): RecordedResponse {
    return redactExchange(exchange, this.#options.drift.redaction).response as RecordedResponse;
  }

  #tell(sent: Exchange, lines: readonly string[]): void {
    if (lines.length === 0) return;
    this.differing++;
    const { redaction } = this.#options.drift;
    const shown = lines.map((line) => `  ${redactText(line, redaction)}`);
    this.#paragraphs.push([this.#nameOf(sent), ...shown].map(visible).join('\n'));
  }

  /** For people: what differs, what was not sent, one line for all. */
  text(recording: string): string {
    const left = [...this.#left].map(([method, count]) => `${count} ${method}`).join(', ');
    const differ = `${this.differing} ${this.differing === 1 ? 'answer differs' : 'answers differ'}`;
    const rest = [
      ...this.#unsent.map((line) => `not sent: ${visible(line)}`),
      ...(left === '' ? [] : [`not sent, since they change something: ${left}`]),
      ...(this.#refused > 0
        ? [
            `refused with 401 or 403: ${this.#refused}; give credentials with --header 'Authorization: Bearer …'`,
          ]
        : []),
      `${this.differing === 0 ? 'no drift' : differ}: ${amount(this.sent, 'request')} of "${recording}" sent`,
    ];
    return `${[...this.#paragraphs, rest.join('\n')].join('\n\n')}\n`;
  }
}
