import type { Readable } from 'node:stream';
import type { Match } from '../contract/match-operation.ts';
import { messageOf, PatchgateError } from '../errors.ts';
import type { Gate, GateRequest, Inspection } from '../gate/gate.ts';
import { header, headerValues } from '../http/http.ts';
import type { JsonObject } from '../json/json.ts';
import { losesEnvironment } from '../model/effect.ts';
import type { Known, RecordName } from '../model/record.ts';
import { redactJson, redactText, redactUrl } from '../recordings/redaction/redact.ts';
import { NO_REDACTION, type Redaction } from '../recordings/redaction/redaction.ts';
import { shortened } from '../reporters/wording.ts';
import { correctedProject } from '../state/corrected.ts';
import { isPossible } from '../state/records.ts';
import type { Session } from '../upstreams/session.ts';
import { type About, APPROVE_HEADER, Approvals, type Refusal, type Subject } from './approvals.ts';
import { decisiveEffects } from './decisive-effects.ts';
import type { Asker, Knowledge } from './knowledge.ts';
import { type HeldLock, RecordLocks } from './record-locks.ts';

interface GuardOptions {
  gate: Gate;
  knowledge: Knowledge;
  mode: 'on' | 'strict' | 'off';
  /** Milliseconds that an approval may be used. */
  approvalTtl: number;
  /** Milliseconds that a PATCH waits for a decision before it is answered; 0: it does not. */
  hold?: number;
  /** Names of those who may approve; absent: a token works at once. */
  approvers?: ReadonlySet<string> | undefined;
  /** Of what an approval shows and keeps. */
  redaction?: Redaction;
}

/** A request whose body was read. */
export interface Asked {
  request: GateRequest;
  match: Match;
  session: Session;
  /** The client's message. */
  stream: Readable;
  /** Whether no client waits for an answer any more. */
  isGone(): boolean;
  /** Who sends it, for an approval. */
  sender?(): Pick<About, 'client' | 'who' | 'exchange'>;
  /** How long it was held, in milliseconds: the guard says so. */
  heldMs?: number;
}

export interface Judged {
  /** An error: it could not be judged, and must not pass. Undefined: no client waits any more. */
  inspection: Inspection | PatchgateError | undefined;
  /** Of what was blocked because of what it loses: how to go on. */
  remediation?: Remediation;
  /** Id of the approval that was used for it, or made of it. */
  approval?: string;
  /** A token was used for it. */
  isApproved?: boolean;
}

/** What was known counted. */
interface JudgedBy extends Judged {
  known?: Known | undefined;
  /** It is blocked for what it loses. */
  isDestructive?: boolean;
  /** Why what was sent as an approval is none. */
  refusal?: Refusal | undefined;
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

export interface Guard {
  readonly approvals: Approvals;
  /** How many approvals were made, and used. */
  readonly counts: { readonly given: number; readonly used: number };
  /**
   * Judges a request by what is known when it has its record's lock, at once where it can: a PATCH that may lose something for good
   * passes when those of the same record before it are over, so that no two pass on the same old state.
   *
   * One that an approval could let pass is held where that is asked for: it gives its lock back, and takes it again once it is approved.
   *
   * @param done called once, unless it is withdrawn. @param release where it has a lock: to be called when the request is over
   * @returns withdraws it, since its client is gone. False: it does not wait
   */
  judge(asked: Asked, done: (judged: Judged, release?: () => void) => void): () => boolean;
  /** Answers what is held, and holds no more: the gate stops, or another one is in force. @returns how many were held */
  endHolds(): number;
  /** One with the same locks and approvals that judges by another gate. */
  by(gate: Gate, mode: GuardOptions['mode']): Guard;
}

const APPROVE = APPROVE_HEADER.toLowerCase();
const NOT_WAITING = () => false;
/** Requests that are held at a time, with their bodies. Others are answered at once. */
const MOST_HELD = 100;
const MOST_HELD_BYTES = 16 * 1024 * 1024;
/** Environments that one approval may lose: it names each. */
export const MOST_LOST = 1000;

/** What guards by different gates have in common. */
interface Shared {
  locks: RecordLocks;
  approvals: Approvals;
  counts: { given: number; used: number };
  /** Goes on with a request that is held, by the id of its approval. @param isDecided false: it has waited long enough */
  held: Map<string, (isDecided: boolean) => void>;
  /** Of their bodies. */
  heldBytes: number;
}

interface Issued {
  id: string;
  token: string;
}

export function createGuard(options: GuardOptions): Guard {
  const { knowledge, approvalTtl, approvers } = options;
  const approvals = new Approvals({ lifetime: approvalTtl, approvers, store: knowledge.approvals });
  const held: Shared['held'] = new Map();
  approvals.subscribe(({ id, held: isHeld, status }) => {
    if (!isHeld || status === 'pending') return;
    // Others are told of the decision before they are told what came of it.
    queueMicrotask(() => held.get(id)?.(true));
  });
  const counts = { given: 0, used: 0 };
  return guardOf(options, { locks: new RecordLocks(), approvals, counts, held, heldBytes: 0 });
}

function guardOf(options: GuardOptions, shared: Shared): Guard {
  const { gate, knowledge, mode, hold: holdTime = 0, redaction = NO_REDACTION } = options;
  const { locks, approvals, counts, held } = shared;
  let isOver = false;

  /** @param token of an approval that it was held for */
  const judge = (asked: Asked, name: RecordName | undefined, token?: string): JudgedBy => {
    if (asked.isGone()) return { inspection: undefined };
    try {
      const known = name && knowledge.of(name, asked.session);
      return mode === 'off' ? inspect(asked, known) : guarded(asked, known, token);
    } catch (error) {
      // What cannot be judged does not pass, and is no reason for other requests to end.
      return {
        inspection: new PatchgateError(
          'internal',
          `the gate could not judge this request: ${messageOf(error)}`,
        ),
      };
    }
  };

  const inspect = ({ request, match }: Asked, known: Known | undefined): JudgedBy => ({
    inspection: gate.inspect(request, match, { known }),
    known,
  });

  const guarded = (asked: Asked, known: Known | undefined, heldToken?: string): JudgedBy => {
    const { request, match } = asked;
    const token = heldToken ?? header(request.headers, APPROVE);
    let refusal = token === undefined ? undefined : whyNot(asked, known, heldToken);
    if (token !== undefined && !refusal) {
      const inspection = gate.inspect(request, match, { known, approval: 'approved' });
      if (inspection.verdict.outcome === 'block') return { inspection, known };
      // Nothing stands between this and the forwarding.
      const used = approvals.use(token);
      if (!('refused' in used)) {
        counts.used++;
        return { inspection, known, isApproved: true, approval: used.id };
      }
      refusal = used;
    }
    let inspection = gate.inspect(request, match, { known });
    const isDestructive = inspection.verdict.problem === 'destructive-change';
    // Where there is nothing to approve, a token that was never given out is only noise.
    if (refusal && (isDestructive || !refusal.isUnknown)) {
      const hint = howToGoOn(refusal, mayBeApproved(inspection), heldToken !== undefined);
      inspection = gate.inspect(request, match, { known, approval: { refused: refusal.refused, hint } });
    }
    return { inspection, known, isDestructive, refusal };
  };

  /** What tells of a blocked request how to go on. An approval is made of it here: it is judged for the last time. */
  const remedied = (asked: Asked, name: RecordName | undefined, judged: JudgedBy): JudgedBy => {
    const { inspection, isDestructive, refusal } = judged;
    if (!isDestructive || !isInspection(inspection)) return judged;
    let issued: Issued | undefined;
    if (mayBeApproved(inspection) && !refusal?.isDeclined)
      issued = refusal?.pending
        ? { id: refusal.pending, token: header(asked.request.headers, APPROVE) as string }
        : issue(asked, name, judged);
    return withRemediation(judged, issued);
  };

  /** @param issued the approval that would let it pass */
  const withRemediation = (judged: JudgedBy, issued: Issued | undefined): JudgedBy => {
    const { known, inspection } = judged;
    const corrected = known && correctedBody(known, inspection as Inspection);
    const lost = lossesOf(inspection as Inspection);
    const remediation: Remediation = {
      ...(corrected && { corrected }),
      ...(lost > MOST_LOST && { tooMany: lost }),
      ...(issued && { approve: issued.token, approval: issued.id }),
      ...(issued && approvals.needApprover && { needsApprover: true }),
    };
    return { ...judged, remediation, ...(issued && { approval: issued.id }) };
  };

  /** @param hold milliseconds that it is held. @returns undefined: the body is not there to be approved */
  const issue = (
    asked: Asked,
    name: RecordName | undefined,
    { inspection, known }: JudgedBy,
    hold?: number,
  ): Issued | undefined => {
    const subject = subjectOf(asked, known);
    if (!subject) return undefined;
    if (name) subject.knownNow = knownNow(name, asked.session);
    counts.given++;
    const { verdict, effects = [] } = inspection as Inspection;
    const clean = (text: string) => shortened(redactText(text, redaction), LONGEST_TEXT);
    const about: About = {
      method: asked.request.method,
      url: shortened(redactUrl(asked.request.url, redaction), LONGEST_URL),
      operation: verdict.operation,
      ...(name && { record: { account: clean(name.account), kind: name.kind, id: clean(name.id) } }),
      ...asked.sender?.(),
      ...(asked.session.name && { session: clean(asked.session.name) }),
      ...decisiveEffects(effects, redaction),
    };
    return approvals.issue(subject, about, hold);
  };

  /** Looks where not all is known, and there is somewhere to look. @returns undefined: nothing is to be waited for */
  const find = (asked: Asked, name: RecordName, cameAt: number): Promise<void> | undefined =>
    knowledge.find !== undefined && !asked.isGone() && !knowledge.of(name, asked.session)?.isWhole
      ? knowledge.find(name, askerOf(asked, cameAt))
      : undefined;

  const mustConfirm = (judged: Judged): boolean =>
    knowledge.confirm !== undefined && losesOnlyPossible(judged);

  const askerOf = (asked: Asked, cameAt: number): Asker => ({ ...asked.request, ...asked, cameAt });

  const whyNot = (asked: Asked, known: Known | undefined, heldToken?: string): Refusal | undefined => {
    const [token = '', ...others] = headerValues(asked.request.headers, APPROVE);
    if (others.length > 0) return { refused: `the header ${APPROVE_HEADER} comes more than once` };
    const subject = subjectOf(asked, known);
    // A body that is too large is blocked for that.
    return subject
      ? approvals.whyNot(heldToken ?? token, subject)
      : { refused: 'the body is too large to be approved' };
  };

  const subjectOf = ({ request, session }: Asked, known: Known | undefined): Subject | undefined => {
    const { body, method, url, headers } = request;
    if (body === 'too-large') return undefined;
    const own = knowledge.isOfSession ? `${session.name} ${session.id}` : session.name;
    return { method, url, headers, body, session: own, known: known && kept(known) };
  };

  const kept = (known: Known): Known => ({
    ...known,
    record: redactJson(known.record, redaction) as JsonObject,
  });

  /** Of what is not known for sure, a look may find that it is as it was. A session may be over. */
  const knownNow = (name: RecordName, session: Session) => {
    if (knowledge.isOfSession) return () => undefined;
    return () => {
      const known = knowledge.of(name, session);
      if (!known?.isWhole || hasPossible(known.record)) return undefined;
      return kept(known);
    };
  };

  /** Whether it waits for a yes instead of being answered. */
  const mayHold = (asked: Asked, { isDestructive, inspection, refusal }: JudgedBy): boolean =>
    holdTime > 0 &&
    isDestructive === true &&
    refusal === undefined &&
    mayBeApproved(inspection as Inspection) &&
    asked.request.body !== 'too-large' &&
    !isOver &&
    held.size < MOST_HELD &&
    shared.heldBytes + asked.request.body.length <= MOST_HELD_BYTES;

  return {
    by: (gate, mode) => guardOf({ ...options, gate, mode }, shared),
    approvals,
    counts,
    endHolds() {
      isOver = true;
      const all = [...held.values()];
      for (const goOn of all) goOn(false);
      return all.length;
    },
    judge(asked, done) {
      const name = gate.recordOf(asked.match);
      /** Of one that was held, and judged again. */
      let issued: Issued | undefined;
      const tell = (judged: JudgedBy, release?: () => void) => {
        if (issued && !judged.isApproved)
          approvals.end(issued.id, judged.inspection ? 'expired' : 'withdrawn');
        const told = remedied(asked, name, judged);
        done(issued && told.approval === undefined ? { ...told, approval: issued.id } : told, release);
      };
      if (!name || !gate.guards(name.kind)) {
        tell(judge(asked, name));
        return NOT_WAITING;
      }
      const cameAt = performance.now();
      if (mode === 'off') {
        const finding = find(asked, name, cameAt);
        if (!finding) tell(judge(asked, name));
        else void finding.then(() => tell(judge(asked, name)));
        return NOT_WAITING;
      }
      const locked = (lock: HeldLock, judged: JudgedBy) => {
        if (!issued && mayHold(asked, judged)) {
          lock.release();
          hold(judged);
          return;
        }
        tell(judged, () => lock.release());
        if (keepsEnvironments(judged)) lock.share();
      };
      const judgedAfter = async (finding: Promise<void>): Promise<JudgedBy> => {
        await finding;
        const judged = judge(asked, name, issued?.token);
        return mustConfirm(judged) ? confirmed() : judged;
      };
      /** What may be gone is looked at before it stops a PATCH. */
      const confirmed = async (): Promise<JudgedBy> => {
        await knowledge.confirm?.(name, askerOf(asked, cameAt));
        return judge(asked, name, issued?.token);
      };
      const whose = knowledge.isOfSession ? asked.session.id : '';
      const wait = () =>
        locks.acquire(`${name.kind} ${name.id} ${whose}`, {
          exclusive(lock) {
            const finding = find(asked, name, cameAt);
            const judged = finding ? judgedAfter(finding) : judge(asked, name, issued?.token);
            if (judged instanceof Promise) void judged.then((one) => locked(lock, one));
            else if (mustConfirm(judged)) void confirmed().then((one) => locked(lock, one));
            else locked(lock, judged);
          },
          shared(lock) {
            // An approval is used up by being looked at.
            if (issued || header(asked.request.headers, APPROVE) !== undefined) return false;
            const judged = judge(asked, name);
            if (mustConfirm(judged)) return false;
            // A change of which environments there are must be alone; what is blocked changes nothing.
            const mayGo = keepsEnvironments(judged) || !passes(judged);
            if (mayGo) locked(lock, judged);
            return mayGo;
          },
        });
      /** It waits for a decision, and others of its record go on. */
      const hold = (judged: JudgedBy) => {
        const { id, token } = issue(asked, name, judged, holdTime) as Issued;
        const heldAt = performance.now();
        const timer = setTimeout(() => goOn(false), holdTime).unref();
        const size = asked.request.body.length;
        const end = () => {
          clearTimeout(timer);
          asked.heldMs = performance.now() - heldAt;
          const wasHeld = held.delete(id);
          if (wasHeld) shared.heldBytes -= size;
          return wasHeld;
        };
        const goOn = (isDecided: boolean) => {
          if (!end()) return;
          unhold = undefined;
          if (!isDecided) {
            approvals.answered(id);
            done(withRemediation(judged, { id, token }));
            return;
          }
          issued = { id, token };
          leave = wait();
        };
        shared.heldBytes += size;
        held.set(id, goOn);
        unhold = () => {
          end();
          approvals.end(id, 'withdrawn');
          return true;
        };
      };
      /** Withdraws it while it is held. */
      let unhold: (() => boolean) | undefined;
      let leave = wait();
      return () => {
        if (unhold) return unhold();
        const hasLeft = leave();
        if (hasLeft && issued) approvals.end(issued.id, 'withdrawn');
        return hasLeft;
      };
    },
  };
}

/** What to do about an approval that is refused. */
function howToGoOn({ pending, isDeclined }: Refusal, isApprovable: boolean, wasHeld: boolean): string {
  if (pending) return 'send it again with the same token once it is approved';
  if (isApprovable && !isDeclined) return 'this answer has a new one';
  return wasHeld ? 'send it again' : 'send it without the header';
}

/** Whether a person can see all that it loses, and say yes to that. */
function mayBeApproved(inspection: Inspection): boolean {
  return inspection.isApprovable === true && lossesOf(inspection) <= MOST_LOST;
}

function lossesOf({ effects = [] }: Inspection): number {
  return effects.filter(losesEnvironment).length;
}

function isInspection(inspection: Judged['inspection']): inspection is Inspection {
  return inspection !== undefined && 'verdict' in inspection;
}

/** Whether a PATCH is stopped for environments alone that may be gone already. */
function losesOnlyPossible({ inspection }: Judged): boolean {
  if (!isInspection(inspection)) return false;
  if (inspection.verdict.problem !== 'destructive-change') return false;
  const lost = inspection.effects?.filter((effect) => losesEnvironment(effect) && !effect.allowed) ?? [];
  return (
    lost.length > 0 && lost.every((effect) => losesEnvironment(effect) && effect.possibleSince !== undefined)
  );
}

function hasPossible({ environments }: JsonObject): boolean {
  return Array.isArray(environments) && environments.some(isPossible);
}

function passes({ inspection }: Judged): boolean {
  return isInspection(inspection) && inspection.verdict.outcome === 'pass';
}

/** Whether it is known that a request passes and leaves a project with the very environments that it has. */
function keepsEnvironments(judged: JudgedBy): boolean {
  if (!judged.known?.isWhole || !passes(judged)) return false;
  const { effects = [] } = judged.inspection as Inspection;
  return !effects.some((effect) => losesEnvironment(effect) || effect.kind === 'environment-created');
}

function correctedBody(known: Known, { json, effects = [] }: Inspection): JsonObject | undefined {
  return json === undefined ? undefined : correctedProject(known.record, json, effects);
}

/** Characters of what an approval shows. */
const LONGEST_URL = 2048;
const LONGEST_TEXT = 500;
