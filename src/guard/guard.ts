import { hashOfBody } from '../body-hash.ts';
import type { Match } from '../contract/match-operation.ts';
import { messageOf, PatchgateError } from '../errors.ts';
import type { Circumstances, Gate, GateRequest, Inspection } from '../gate/gate.ts';
import { header, mayMeanAnother, type RawHeaders, type RequestHead } from '../http/http.ts';
import { isObject, type JsonObject, type JsonValue } from '../json/json.ts';
import { losesEnvironment } from '../model/effect.ts';
import type { Verdict } from '../model/finding.ts';
import { type Known, type RecordName, recordKey } from '../model/record.ts';
import { shortened } from '../model/short-text.ts';
import { redactText, redactUrl } from '../recordings/redact/redact.ts';
import { holdsPlaceholder } from '../recordings/redact/redacted.ts';
import { DEFAULT_REDACTION, type Redaction } from '../recordings/redact/redaction.ts';
import { correctedProject, repairedProject } from '../state/corrected.ts';
import { plainRecord } from '../state/lists.ts';
import type { Fake } from '../upstreams/fake/fake.ts';
import type { Session } from '../upstreams/upstream.ts';
import { type About, APPROVE_HEADER, type Approvals, type Refusal, type Subject } from './approvals.ts';
import { decisiveEffects } from './decisive-effects.ts';
import { type Answered, afterPatch, knownOf, learned, seen, tellingOf, withNotes } from './kept.ts';
import type { Asker, Reader } from './reader.ts';
import type { LockedRecord, Records } from './records.ts';

interface GuardOptions {
  gate: Gate;
  mode: 'on' | 'strict' | 'off';
  records: Records;
  reader?: Reader | undefined;
  approvals: Approvals;
  /** The fake, whose sessions have records of their own. */
  fake?: Pick<Fake, 'recordOf'> | undefined;
  /** Of what an approval shows. */
  redaction?: Redaction;
}

/** A request whose body was read. */
export interface GuardedRequest extends Pick<Asker, 'stream' | 'signal' | 'session'> {
  request: GateRequest;
  match: Match;
  /** Whether no client waits for an answer any more. */
  isGone(): boolean;
  /** Who sends it, for an approval. */
  sender?(): Pick<About, 'client' | 'exchange'>;
}

export interface Remediation {
  /** Sent with the same request in `Patchgate-Approve`, it lets it pass; absent if no approval does. */
  approve?: string;
  approval?: string;
  /** The token works only after an approver has approved it. */
  needsApprover?: boolean;
  /** The body that does the same and loses nothing; absent if it is not known. */
  corrected?: JsonObject;
}

export interface Decision {
  /** An error: it could not be judged, and must not pass. Undefined: no client waits any more. */
  inspection: Inspection | PatchgateError | undefined;
  /** How to go on, if it is blocked. */
  remediation?: Remediation | undefined;
  /** Id of the approval that was used for it, or made of it. */
  approval?: string | undefined;
  isApproved?: boolean;
  /** It passes, and nobody can say what it deletes. */
  isUnguarded?: boolean;
  /** Of what passes: to be told once what came of it. Gives the record's lock back. */
  over?: ((answered: Answered) => void) | undefined;
  /** Nobody but the answer says what the record is from now on. */
  wantsAnswer?: boolean;
}

/** Environments that one approval may lose: it names each. */
const MOST_LOST = 1000;
/** Passed requests that are remembered, in some 200 bytes each if their headers are the same. */
const MOST_PASSED = 100_000;
const APPROVE = APPROVE_HEADER.toLowerCase();
const GONE: Decision = { inspection: undefined };
/** Characters of what an approval shows. */
const [LONGEST_URL, LONGEST_TEXT] = [2048, 500];

/** `used`: id of the approval that was used up for it. */
type Judged = { inspection: Inspection; used?: string; refusal?: Refusal | undefined };

/** The way of one PATCH of a guarded record: lock, read, judge, approve; what passes is forwarded under the lock. */
export class Guard {
  /** Of a replay: the headers of requests that passed without a finding, by body, method and URL. A verdict depends on nothing else there. */
  readonly #passed: Map<string, RawHeaders> | undefined;
  /** Of the request that passed last: most have the same, and share one list. */
  #headers: RawHeaders = [];

  constructor(private readonly options: GuardOptions) {
    if (options.records.areNone && !options.fake) this.#passed = new Map();
  }

  /** The record that is locked and read for a request; undefined: it is judged at once. */
  recordOf(match: Match): RecordName | undefined {
    const { gate, mode } = this.options;
    const name = mode === 'off' ? undefined : gate.recordOf(match);
    return name && gate.guards(name.kind) ? name : undefined;
  }

  /** Whether a request that is not judged changes a guarded record: a PUT or a DELETE. */
  isUnguarded(head: RequestHead): boolean {
    const { mode, gate } = this.options;
    return mode !== 'off' && mayRemove(head) && gate.guardsAt(head.url);
  }

  /** Judges at once, by the remembered record. */
  judgeNow({ request, match, session }: GuardedRequest): Decision {
    const { gate } = this.options;
    const { method, url, headers, body } = request;
    const key = this.#passed ? `${hashOfBody(body)}${method} ${url}` : '';
    if (areSame(this.#passed?.get(key), headers)) {
      const { operation = '' } = match;
      const verdict: Verdict = { outcome: 'pass', findings: [], omitted: 0, operation };
      return { inspection: { verdict, json: undefined } };
    }
    const name = gate.recordOf(match);
    const inspection = gate.inspect(request, match, { known: name && this.#knownOf(name, session) });
    const { findings, omitted } = inspection.verdict;
    if (!this.#passed || findings.length + omitted > 0) return { inspection };
    if (this.#passed.size === MOST_PASSED) this.#passed.clear();
    if (!areSame(this.#headers, headers)) this.#headers = headers;
    this.#passed.set(key, this.#headers);
    return { inspection };
  }

  /** The known record that a URL names. @param session the fake has records of its own for each */
  knownAt(url: string, session: Session | undefined): Known | undefined {
    const name = this.options.gate.recordAt(url);
    return name && this.#knownOf(name, session);
  }

  #knownOf(name: RecordName, session: Session | undefined): Known | undefined {
    const { fake, records } = this.options;
    if (!fake) return knownOf(records.of(name));
    const record = session && fake.recordOf(session, name);
    return record && { record, isWhole: true };
  }

  /** Remembers by the answer of a request that took no lock; undefined: that says nothing of a record. @param json of a judged one */
  remembers(
    head: RequestHead,
    match: Match | undefined,
    json: JsonValue | undefined,
  ): ((answered: Answered) => void) | undefined {
    const { gate, mode, records, approvals } = this.options;
    if (records.areNone || ['HEAD', 'OPTIONS', 'TRACE'].includes(head.method)) return undefined;
    const name = match ? gate.recordOf(match) : gate.recordAt(head.url);
    if (!name) return undefined;
    // Without the guard, only what a GET shows is known, until the record is changed.
    if (mode === 'off' && head.method !== 'GET') {
      if (records.of(name)?.record) records.put(name, { account: name.account });
      return undefined;
    }
    return (answered) => {
      const before = records.of(name);
      const after = learned(before, tellingOf(name, head, json), answered);
      if (!after || after === before) return;
      records.put(name, after);
      // The next PATCH says that the book is away.
      approvals.seen(recordKey(name), knownOf(after)).catch(() => undefined);
    };
  }

  /** Never rejects. */
  async judge(asked: GuardedRequest, name: RecordName): Promise<Decision> {
    const { gate, records, reader, approvals, fake } = this.options;
    const { request, match, session, stream, signal, isGone } = asked;
    let locked: LockedRecord | undefined;
    let kept: ReturnType<typeof seen> | undefined;
    let decision = GONE;
    try {
      let sent: Circumstances['body'] = gate.read(request, match);
      // No read can help a body that is no object, and is blocked for that.
      const blind = isObject(sent.json) ? undefined : gate.inspect(request, match, { body: sent });
      if (blind?.verdict.outcome === 'block') return { inspection: blind };
      // Many may wait for the lock: a large body is parsed once more.
      if (request.body.length > 65_536) sent = undefined;

      const key = fake ? `${recordKey(name)} ${session.id}` : recordKey(name);
      locked = await records.lock(name, key);
      if (isGone()) return GONE;

      const { method, url, headers } = request;
      const reading = (await reader?.(name, { method, url, headers, stream, signal, session })) ?? {};
      const { record, why, unreachable } = reading;
      if (isGone()) return GONE;
      const read = record && plainRecord(name.kind, record, locked.kept?.record);
      if (read) kept = seen(locked.kept, name, read, locked.now());
      const known = why === undefined ? knownOf(locked.kept, read) : undefined;
      if (known && locked.hasOpenApprovals !== false) await approvals.seen(key, known);

      // The same after a restart; only the fake's sessions have their ids.
      const own = fake ? `${session.name} ${session.id}` : session.name;
      const body = request.body as Uint8Array;
      const subject = why === undefined && { method, url, headers, body, session: own, record: key, known };
      const now = { known, unread: why, body: sent };
      const token = header(headers, APPROVE);
      let judged: Judged = { inspection: gate.inspect(request, match, now) };
      if (token !== undefined) judged = await this.#useToken(token, judged.inspection, asked, subject, now);
      const { inspection, used, refusal } = judged;
      if (isGone()) return GONE;
      if (inspection.verdict.outcome === 'block') {
        // Nobody answers there: the PATCH would have met the same.
        if (unreachable && isDestructive(inspection)) return { inspection: unreachable };
        const remediation = await this.#remedy(asked, name, inspection, subject, refusal, read);
        return { inspection, remediation, approval: remediation?.approval };
      }

      const noted = withNotes(name, locked.kept, kept, inspection.json);
      if (noted.creating.some(({ until }) => until === undefined)) await locked.note(noted);
      if (locked.confirm) await locked.confirm();
      const telling = tellingOf(name, request, inspection.json);
      const held = locked;
      const over = (answered: Answered) => {
        const after = afterPatch(noted, held.kept?.creating ?? [], telling, answered, held.now());
        // A lock that may be lost leaves room for approvals by other gates.
        if (after.record !== noted.record && (held.confirm || held.hasOpenApprovals !== false))
          approvals.seen(key, knownOf(after)).catch(() => undefined);
        held.release(after);
      };
      const wantsAnswer = !kept || noted.creating.length > 0;
      const isUnguarded = !known?.isWhole || (method === 'PATCH' && mayRemove(request));
      const isApproved = used !== undefined;
      decision = { inspection, approval: used, isApproved, isUnguarded, over, wantsAnswer };
      return decision;
    } catch (error) {
      // What cannot be judged does not pass, and is no reason for other requests to end.
      const what = `the gate could not judge this request: ${messageOf(error)}`;
      return { inspection: error instanceof PatchgateError ? error : new PatchgateError('internal', what) };
    } finally {
      if (!decision.over) locked?.release(kept);
    }
  }

  /** Uses up the token of a request that passes by it alone. @param inspection without the token */
  async #useToken(
    token: string,
    inspection: Inspection,
    asked: GuardedRequest,
    subject: Subject | false,
    circumstances: Circumstances,
  ): Promise<Judged> {
    const { gate, approvals } = this.options;
    const { request, match } = asked;
    let found: { id: string } | Refusal = { refused: 'the record could not be read' };
    if (subject) found = await approvals.find(token, subject);
    if (subject && !('refused' in found)) {
      const approved = gate.inspect(request, match, { ...circumstances, approval: 'approved' });
      if (approved.verdict.outcome === 'block') return { inspection: approved };
      // A token is not used up for a client that is gone.
      if (asked.isGone()) return { inspection };
      found = await approvals.use(token, subject);
      if (!('refused' in found)) return { inspection: approved, used: found.id };
    }
    // Where there is nothing to approve, a token that was never given out is only noise.
    if (!('refused' in found) || (found.isUnknown && !isDestructive(inspection))) return { inspection };
    const { refused, pending, isDeclined } = found;
    let hint = 'send it without the header';
    if (pending) hint = 'send it again with the same token once it is approved';
    else if (mayBeApproved(inspection) && !isDeclined) hint = 'this answer has a new one';
    const approval = { refused, hint };
    return { inspection: gate.inspect(request, match, { ...circumstances, approval }), refusal: found };
  }

  /** What a blocked request gets beside its findings. */
  async #remedy(
    asked: GuardedRequest,
    name: RecordName,
    inspection: Inspection,
    subject: Subject | false,
    refusal: Refusal | undefined,
    read: JsonObject | undefined,
  ): Promise<Remediation | undefined> {
    const { approvals } = this.options;
    const { json, effects = [] } = inspection;
    if (!isDestructive(inspection))
      return read && isObject(json) ? this.#repair(asked, read, json) : undefined;
    const known = subject ? subject.known : undefined;
    const full = known && json !== undefined ? correctedProject(known.record, json, effects) : undefined;
    // A name that was hidden when it was kept would become the service's.
    const corrected = holdsPlaceholder(JSON.stringify(full ?? '')) ? undefined : full;
    let issued: { id: string; token: string } | undefined;
    if (refusal?.pending)
      issued = { id: refusal.pending, token: header(asked.request.headers, APPROVE) as string };
    else if (subject && mayBeApproved(inspection) && !refusal?.isDeclined)
      issued = await approvals.issue(subject, this.#aboutOf(asked, name, inspection));
    return {
      ...(corrected && { corrected }),
      ...(issued && { approve: issued.token, approval: issued.id }),
      ...(issued && approvals.needApprover && { needsApprover: true }),
    };
  }

  /** The full body in the place of one that fails its schema, if the gate would let it pass. */
  #repair({ request, match }: GuardedRequest, read: JsonObject, json: JsonObject): Remediation | undefined {
    const corrected = repairedProject(read, json);
    const body = Buffer.from(JSON.stringify(corrected));
    const plain = { ...request, headers: ['content-type', 'application/json'], body };
    const { verdict } = this.options.gate.inspect(plain, match, { known: { record: read, isWhole: true } });
    return verdict.findings.some(({ severity }) => severity === 'error') ? undefined : { corrected };
  }

  #aboutOf({ request, session, sender }: GuardedRequest, name: RecordName, of: Inspection): About {
    const { redaction = DEFAULT_REDACTION } = this.options;
    const clean = (text: string) => shortened(redactText(text, redaction), LONGEST_TEXT);
    return {
      method: request.method,
      url: shortened(redactUrl(request.url, redaction), LONGEST_URL),
      operation: of.verdict.operation,
      record: { account: clean(name.account), kind: name.kind, id: clean(name.id) },
      ...sender?.(),
      ...(session.name && { session: clean(session.name) }),
      ...decisiveEffects(of.effects ?? [], redaction),
    };
  }
}

function areSame(before: RawHeaders | undefined, headers: RawHeaders): boolean {
  return before?.length === headers.length && headers.every((text, index) => text === before[index]);
}

/** Whether it may be a PUT or DELETE to the service. */
function mayRemove({ method, url, headers }: RequestHead): boolean {
  return /^(?:PUT|DELETE)$/.test(method) || mayMeanAnother(headers) || /[?&]_method=/i.test(url);
}

function isDestructive({ verdict }: Inspection): boolean {
  return verdict.problem === 'destructive-change';
}

/** Whether a person can see all that it loses, and say yes to that. */
function mayBeApproved({ isApprovable, effects = [] }: Inspection): boolean {
  return isApprovable === true && effects.filter(losesEnvironment).length <= MOST_LOST;
}
