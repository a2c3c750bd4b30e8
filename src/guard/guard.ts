import { isUtf8 } from 'node:buffer';
import type { Match } from '../contract/match-operation.ts';
import { messageOf, PatchgateError } from '../errors.ts';
import type { Circumstances, Gate, GateRequest, Inspection } from '../gate/gate.ts';
import { header, headerValues, type RequestHead, splitTarget } from '../http/http.ts';
import { isObject, type JsonObject, type JsonValue } from '../json/json.ts';
import { losesEnvironment } from '../model/effect.ts';
import { type Known, type RecordName, recordKey } from '../model/record.ts';
import { redactJson, redactText, redactUrl } from '../recordings/redact/redact.ts';
import { NO_REDACTION, type Redaction } from '../recordings/redact/redaction.ts';
import { shortened } from '../reporters/wording.ts';
import { correctedProject, repairedProject } from '../state/corrected.ts';
import { plainRecord } from '../state/lists.ts';
import { environmentsOf, isSameProject } from '../state/project.ts';
import { isWholeProject } from '../state/whole-record.ts';
import type { Fake } from '../upstreams/fake/start-fake.ts';
import type { Session } from '../upstreams/session.ts';
import { type About, APPROVE_HEADER, type Approvals, type Refusal, type Subject } from './approvals.ts';
import { decisiveEffects } from './decisive-effects.ts';
import type { Asker, Reader, Reading } from './reader.ts';
import { afterPatch, type Creation, type Kept, knownOf, type LockedRecord, type Records } from './records.ts';
import { answerOf, remember, tellsOfRecord } from './remember.ts';
import type { Answered } from './watch-answer.ts';

interface GuardOptions {
  gate: Gate;
  mode: 'on' | 'strict' | 'off';
  records: Records;
  /** Undefined: nothing is read. */
  reader?: Reader | undefined;
  approvals: Approvals;
  /** The fake, whose sessions have records of their own. */
  fake?: Pick<Fake, 'recordOf'> | undefined;
  /** Milliseconds that the database may take before a PATCH is sent; 0: there is none. */
  patience?: number | undefined;
  /** Of what an approval shows and what is remembered. */
  redaction?: Redaction;
}

/** A request whose body was read. */
export interface GuardedRequest extends Pick<Asker, 'stream' | 'session'> {
  request: GateRequest;
  match: Match;
  /** Whether no client waits for an answer any more. */
  isGone(): boolean;
  /** Who sends it, for an approval. */
  sender?(): Pick<About, 'client' | 'exchange'>;
}

export interface Remediation {
  /** Sent with the same request in `Patchgate-Approve`, it lets it pass; absent where no approval does. */
  approve?: string;
  /** Id of that approval. */
  approval?: string;
  /** The token works only after an approver has approved it. */
  needsApprover?: boolean;
  /** It would lose so many environments: more than an approval may be for. */
  tooMany?: number;
  /** The body that does the same and loses nothing; absent where it is not known. */
  corrected?: JsonObject;
}

export interface Decision {
  /** An error: it could not be judged, and must not pass. Undefined: no client waits any more. */
  inspection: Inspection | PatchgateError | undefined;
  /** How to go on, where it is blocked. */
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

/** A PATCH that has the lock of its record. */
interface Turn {
  asked: GuardedRequest;
  name: RecordName;
  /** Of the lock. */
  key: string;
  locked: LockedRecord;
  /** What is kept from now on, where it was read. */
  kept: Kept | undefined;
  within: Within;
}

/** Whether bytes are an object without a look at what is wrong with it: that costs a tenth of judging them. */
function isPlainObject(body: GateRequest['body']): boolean {
  if (body === 'too-large' || !isUtf8(body)) return false;
  try {
    return isObject(JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString()));
  } catch {
    return false;
  }
}

/** Environments that one approval may lose: it names each. */
export const MOST_LOST = 1000;
const APPROVE = APPROVE_HEADER.toLowerCase();
const GONE: Decision = { inspection: undefined };

/** The way of one PATCH of a guarded record: lock, read, judge, approve; what passes is forwarded under the lock. */
export class Guard {
  readonly #options: GuardOptions;

  constructor(options: GuardOptions) {
    this.#options = options;
  }

  /** The record that is locked and read for a request; undefined: it is judged at once. */
  recordOf(match: Match): RecordName | undefined {
    const { gate, mode } = this.#options;
    const name = mode === 'off' ? undefined : gate.recordOf(match);
    return name && gate.guards(name.kind) ? name : undefined;
  }

  /** Whether a request that is not judged changes a guarded record: a PUT or a DELETE. */
  isUnguarded(method: string, url: string): boolean {
    const { gate, mode } = this.#options;
    if (mode === 'off' || (method !== 'PUT' && method !== 'DELETE')) return false;
    const name = gate.recordAt(url);
    return name !== undefined && gate.guards(name.kind);
  }

  /** Judges at once, by what is remembered. */
  judgeNow({ request, match, session }: GuardedRequest): Decision {
    const { gate } = this.#options;
    const name = gate.recordOf(match);
    const known = name && this.knownOf(name, session);
    return { inspection: gate.inspect(request, match, { known }) };
  }

  /** What is known of a record at once. */
  knownOf(name: RecordName, session: Session): Known | undefined {
    const { fake, records } = this.#options;
    if (!fake) return records.of(name);
    const record = fake.recordOf(session, name);
    return record && { record, isWhole: true };
  }

  /**
   * What remembers by the answer of a request that took no lock; undefined: the answer says nothing of a record.
   *
   * @param json of one that was judged
   */
  remembers(
    head: RequestHead,
    match: Match | undefined,
    json: JsonValue | undefined,
  ): ((answered: Answered) => void) | undefined {
    const { gate, fake, records, approvals } = this.#options;
    if (fake || !tellsOfRecord(head.method)) return undefined;
    const name = match ? gate.recordOf(match) : gate.recordAt(head.url);
    return (
      name &&
      ((answered) => {
        if (!remember(records, name, head, json, answered, (record) => this.#shown(record))) return;
        void approvals.seen(recordKey(name), records.of(name)).catch(() => undefined);
      })
    );
  }

  /** Never rejects. */
  async judge(asked: GuardedRequest, name: RecordName): Promise<Decision> {
    const { gate, records, fake } = this.#options;
    const { request, match, session } = asked;
    let turn: Turn | undefined;
    let decision: Decision | undefined;
    try {
      // No read can help a body that is no object.
      const blind = isPlainObject(request.body) ? undefined : gate.inspect(request, match);
      const isReadable = !blind || isObject(blind.json);
      if (!isReadable && blind.verdict.outcome === 'block') return { inspection: blind };
      const key = fake ? `${recordKey(name)} ${session.id}` : recordKey(name);
      const within = stepsWithin(this.#options.patience ?? 0);
      const locked = await records.lock(name, key);
      turn = { asked, name, key, locked, kept: undefined, within };
      decision = asked.isGone() ? GONE : await this.#judgeLocked(turn, isReadable);
      return decision;
    } catch (error) {
      return unjudged(error);
    } finally {
      if (!decision?.over) turn?.locked.release(turn.kept);
    }
  }

  /** @param isReadable its body is an object */
  async #judgeLocked(turn: Turn, isReadable: boolean): Promise<Decision> {
    const { reader, approvals } = this.#options;
    const { asked, name, key, locked, within } = turn;
    const { request, stream, session } = asked;
    const reads = reader !== undefined && isReadable;
    const { method, url, headers } = request;
    const reading: Reading = reads ? await reader(name, { method, url, headers, stream, session }) : 'none';
    if (asked.isGone()) return GONE;
    const read = typeof reading === 'object' && 'record' in reading ? reading.record : undefined;
    const why = typeof reading === 'object' && 'why' in reading ? reading : undefined;
    const before = locked.kept;
    const isSame = before?.record !== undefined && read !== undefined && isSameProject(before.record, read);
    if (read) turn.kept = { ...before, ...this.#seen(name, isSame ? before.record : this.#shown(read)) };
    const known = why ? undefined : knownOf(before, read);
    const subject = why ? undefined : this.#subjectOf(asked, key, known);
    const isNews = before?.creating?.length || !before?.record || (read && !isSame);
    if (known && isNews) await within(approvals.seen(key, known));
    const { inspection, used, refusal } = await within(
      this.#judgeBy(asked, subject, { known, unread: why?.why }),
    );
    if (asked.isGone()) return GONE;
    if (inspection.verdict.outcome === 'block') {
      // Nobody answers there: the PATCH would have met the same.
      if (why?.unreachable && inspection.verdict.problem === 'destructive-change')
        return { inspection: why.unreachable };
      const remediation = await within(this.#remedy(asked, name, inspection, subject, refusal, read));
      return { inspection, remediation, approval: remediation?.approval };
    }
    const over = await this.#send(turn, known, inspection);
    const isUnguarded = !known?.isWhole;
    const wantsAnswer = read === undefined;
    return { inspection, approval: used, isApproved: used !== undefined, isUnguarded, over, wantsAnswer };
  }

  /** Judges it, and uses the token up that it comes with where it passes by that alone. */
  async #judgeBy(
    asked: GuardedRequest,
    subject: Subject | undefined,
    circumstances: Circumstances,
  ): Promise<{ inspection: Inspection; used?: string; refusal?: Refusal | undefined }> {
    const { gate, approvals } = this.#options;
    const { request, match } = asked;
    const inspection = gate.inspect(request, match, circumstances);
    const [token, ...further] = headerValues(request.headers, APPROVE);
    if (token === undefined) return { inspection };
    let refusal: Refusal | undefined;
    if (further.length > 0) refusal = { refused: `the header ${APPROVE_HEADER} comes more than once` };
    else if (!subject) refusal = { refused: 'the record could not be read' };
    else refusal = await approvals.whyNot(token, subject);
    if (subject && !refusal) {
      const approved = gate.inspect(request, match, { ...circumstances, approval: 'approved' });
      if (approved.verdict.outcome === 'block') return { inspection: approved };
      // A token is not used up for a client that is gone.
      if (asked.isGone()) return { inspection };
      const used = await approvals.use(token, subject);
      if ('id' in used) return { inspection: approved, used: used.id };
      refusal = used;
    }
    // Where there is nothing to approve, a token that was never given out is only noise.
    const isDestructive = inspection.verdict.problem === 'destructive-change';
    if (!refusal || (refusal.isUnknown && !isDestructive)) return { inspection };
    const hint = howToGoOn(refusal, mayBeApproved(inspection));
    const refused = { refused: refusal.refused, hint };
    return { inspection: gate.inspect(request, match, { ...circumstances, approval: refused }), refusal };
  }

  /** What a blocked request gets beside its findings. */
  async #remedy(
    asked: GuardedRequest,
    name: RecordName,
    inspection: Inspection,
    subject: Subject | undefined,
    refusal: Refusal | undefined,
    read: JsonObject | undefined,
  ): Promise<Remediation | undefined> {
    const { approvals } = this.#options;
    const { verdict, json, effects = [] } = inspection;
    if (verdict.problem !== 'destructive-change') {
      const repaired = read && isObject(json) && this.#repaired(asked, read, json);
      return repaired ? { corrected: repaired } : undefined;
    }
    const known = subject?.known;
    const corrected = known && json !== undefined ? correctedProject(known.record, json, effects) : undefined;
    const lost = effects.filter(losesEnvironment).length;
    const token = header(asked.request.headers, APPROVE);
    let issued: { id: string; token: string } | undefined;
    if (subject && mayBeApproved(inspection) && !refusal?.isDeclined)
      issued = refusal?.pending
        ? { id: refusal.pending, token: token as string }
        : await approvals.issue(subject, this.#aboutOf(asked, name, inspection));
    return {
      ...(corrected && { corrected }),
      ...(lost > MOST_LOST && { tooMany: lost }),
      ...(issued && { approve: issued.token, approval: issued.id }),
      ...(issued && approvals.needApprover && { needsApprover: true }),
    };
  }

  /** The full body of what fails its schema, where the gate would let that pass. */
  #repaired({ request, match }: GuardedRequest, read: JsonObject, json: JsonObject): JsonObject | undefined {
    const corrected = repairedProject(read, json);
    const body = Buffer.from(JSON.stringify(corrected));
    const plain = { ...request, headers: ['content-type', 'application/json'], body };
    const known = { record: read, isWhole: true };
    const { verdict } = this.#options.gate.inspect(plain, match, { known });
    return verdict.findings.some(({ severity }) => severity === 'error') ? undefined : corrected;
  }

  /** Notes what is about to be created, and looks at the lock once more. @returns to be told what came of the PATCH */
  async #send(
    { asked, name, key, locked, kept: read, within }: Turn,
    known: Known | undefined,
    { json }: Inspection,
  ): Promise<NonNullable<Decision['over']>> {
    const sent = environmentsOf(json);
    const before = new Set(environmentsOf(known?.record).map(({ id }) => id));
    const isCreating = sent.some(({ id }) => !before.has(id));
    const hidden = isCreating ? environmentsOf(this.#shown(plainRecord(name.kind, json))) : [];
    const creating = hidden.filter(({ id }) => !before.has(id)).map(creationOf);
    const kept: Kept = { ...locked.kept, account: name.account, ...read };
    if (creating.length > 0) {
      kept.creating = [...(kept.creating ?? []), ...creating];
      await within(locked.note(kept));
    }
    if (locked.confirm) await within(locked.confirm());
    const patch = {
      kind: name.kind,
      record: isWholeProject(json) ? this.#shown(plainRecord(name.kind, json)) : undefined,
      created: new Set(creating.map(({ id }) => id)),
      left: new Set(sent.map(({ id }) => id)),
    };
    // A query may ask for something else than the change.
    const isPlain = splitTarget(asked.request.url).query === '';
    return (answered) => {
      const { outcome, isApplied, record } = answerOf(name, answered);
      const shown = record && this.#shown(record);
      const sure = outcome === 'accepted' && !isPlain ? 'unclear' : outcome;
      const after = afterPatch(kept, patch, sure, isApplied, shown, locked.now());
      if (sure === 'accepted' && after.record)
        void this.#options.approvals.seen(key, knownOf(after, after.record)).catch(() => undefined);
      locked.release(after);
    };
  }

  #seen({ account }: RecordName, record: JsonObject | undefined): Kept {
    return { account, record, isPart: false, seenAt: new Date().toISOString() };
  }

  #shown(record: JsonObject): JsonObject {
    return redactJson(record, this.#options.redaction ?? NO_REDACTION) as JsonObject;
  }

  #subjectOf(
    { request, session }: GuardedRequest,
    record: string,
    known: Known | undefined,
  ): Subject | undefined {
    const { body, method, url, headers } = request;
    if (body === 'too-large') return undefined;
    const own = this.#options.fake ? `${session.name} ${session.id}` : session.name;
    return { method, url, headers, body, session: own, record, known };
  }

  #aboutOf({ request, session, sender }: GuardedRequest, name: RecordName, of: Inspection): About {
    const { redaction = NO_REDACTION } = this.#options;
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

/** Characters of what an approval shows. */
const LONGEST_URL = 2048;
const LONGEST_TEXT = 500;

function creationOf({ id, name, isEnabled }: Creation): Creation {
  return { id, name, isEnabled };
}

/** What cannot be judged does not pass, and is no reason for other requests to end. */
function unjudged(error: unknown): Decision {
  if (error instanceof PatchgateError) return { inspection: error };
  const message = `the gate could not judge this request: ${messageOf(error)}`;
  return { inspection: new PatchgateError('internal', message) };
}

/** What to do about an approval that is refused. */
function howToGoOn({ pending, isDeclined }: Refusal, isApprovable: boolean): string {
  if (pending) return 'send it again with the same token once it is approved';
  return isApprovable && !isDeclined ? 'this answer has a new one' : 'send it without the header';
}

/** Whether a person can see all that it loses, and say yes to that. */
function mayBeApproved({ isApprovable, effects = [] }: Inspection): boolean {
  return isApprovable === true && effects.filter(losesEnvironment).length <= MOST_LOST;
}

type Within = <T>(step: Promise<T>) => Promise<T>;

/** Bounds what several steps take in all. @param patience milliseconds; 0: for ever */
function stepsWithin(patience: number): Within {
  if (patience === 0) return (step) => step;
  let left = patience;
  return async (step) => {
    const began = performance.now();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(tooSlow(patience)), left);
    });
    try {
      return await Promise.race([step, late]);
    } finally {
      clearTimeout(timer);
      left = Math.max(0, left - (performance.now() - began));
    }
  };
}

function tooSlow(patience: number): PatchgateError {
  return new PatchgateError('store-unavailable', `the database took longer than ${patience} ms`, {
    hint: 'the PATCH was not sent: send it again when the database has less to do',
  });
}
