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
import {
  type About,
  APPROVE_HEADER,
  type Approvals,
  hashOfState,
  type Refusal,
  type Subject,
} from './approvals.ts';
import { decisiveEffects } from './decisive-effects.ts';
import type { Asker, Knowledge } from './knowledge.ts';

export interface JudgingOptions {
  gate: Gate;
  knowledge: Knowledge;
  mode: 'on' | 'strict' | 'off';
  approvals: Approvals;
  /** Of what an approval shows and keeps. */
  redaction?: Redaction;
}

/** A request whose body was read. */
export interface GuardedRequest {
  request: GateRequest;
  match: Match;
  session: Session;
  /** The client's message. */
  stream: Readable;
  /** Whether no client waits for an answer any more. */
  isGone(): boolean;
  /** Who sends it, for an approval. */
  sender?(): Pick<About, 'client' | 'exchange'>;
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
  /** What it was judged by. */
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

interface Issued {
  id: string;
  token: string;
}

const APPROVE = APPROVE_HEADER.toLowerCase();
export const GONE: Judged = { inspection: undefined };
const CHANGED: Refusal = { refused: 'the record has changed while the approval was used' };
/** Environments that one approval may lose: it names each. */
export const MOST_LOST = 1000;

/** Judges one request after the other, by one gate. What must not happen meanwhile is for others to see to. */
export type Judging = ReturnType<typeof createJudging>;

export function createJudging(
  { gate, knowledge, approvals, mode, redaction = NO_REDACTION }: JudgingOptions,
  counts: { given: number; used: number },
) {
  /** At once, unless it comes with a token. */
  const judge = (asked: GuardedRequest, name: RecordName | undefined): Judged | Promise<Judged> => {
    const token = header(asked.request.headers, APPROVE);
    if (mode === 'off' || token === undefined) return judgeWithoutToken(asked, name);
    return judgeWithToken(token, asked, name).catch(unjudged);
  };

  const judgeWithoutToken = (asked: GuardedRequest, name: RecordName | undefined): Judged => {
    if (asked.isGone()) return GONE;
    try {
      const known = knownOf(name, asked);
      const inspection = gate.inspect(asked.request, asked.match, { known });
      const isDestructive = mode !== 'off' && inspection.verdict.problem === 'destructive-change';
      return { inspection, known, isDestructive };
    } catch (error) {
      return unjudged(error);
    }
  };

  /** The record's lock is held meanwhile: no other PATCH changes what is known. */
  const judgeWithToken = async (
    token: string,
    asked: GuardedRequest,
    name: RecordName | undefined,
  ): Promise<Judged> => {
    const { request, match } = asked;
    if (asked.isGone()) return GONE;
    const subject = subjectOf(asked, knownOf(name, asked));
    let refusal = await whyNot(token, asked, subject);
    // A token is not used up for a client that is gone.
    if (asked.isGone()) return GONE;
    if (subject && !refusal) {
      const known = knownOf(name, asked);
      const inspection = gate.inspect(request, match, { known, approval: 'approved' });
      if (inspection.verdict.outcome === 'block') return { inspection, known };
      const used = await approvals.use(token, subject);
      // Nobody would hear what came of it.
      if (asked.isGone()) return GONE;
      if ('refused' in used) refusal = used;
      // The answer to another request may have told of the record meanwhile.
      else if (!isAsIn(subject, knownOf(name, asked))) refusal = CHANGED;
      else {
        // Nothing stands between this and the forwarding.
        counts.used++;
        return { inspection, known, isApproved: true, approval: used.id };
      }
    }
    const known = knownOf(name, asked);
    let inspection = gate.inspect(request, match, { known });
    const isDestructive = inspection.verdict.problem === 'destructive-change';
    // Where there is nothing to approve, a token that was never given out is only noise.
    if (refusal && (isDestructive || !refusal.isUnknown)) {
      const hint = howToGoOn(refusal, mayBeApproved(inspection));
      inspection = gate.inspect(request, match, { known, approval: { refused: refusal.refused, hint } });
    }
    return { inspection, known, isDestructive, refusal };
  };

  const knownOf = (name: RecordName | undefined, { session }: GuardedRequest): Known | undefined =>
    name && knowledge.of(name, session);

  /** One that is blocked for what it loses gets its approval here, and what says how to go on: it is judged for the last time. */
  const remediate = (
    asked: GuardedRequest,
    name: RecordName | undefined,
    judged: Judged,
  ): Judged | Promise<Judged> =>
    judged.isDestructive ? remediated(asked, name, judged).catch(unjudged) : judged;

  const remediated = async (
    asked: GuardedRequest,
    name: RecordName | undefined,
    judged: Judged,
  ): Promise<Judged> => {
    const { inspection, refusal } = judged;
    if (!mayBeApproved(inspection as Inspection) || refusal?.isDeclined)
      return withRemediation(judged, undefined);
    if (refusal?.pending) {
      const token = header(asked.request.headers, APPROVE) as string;
      return withRemediation(judged, { id: refusal.pending, token });
    }
    return withRemediation(judged, await issue(asked, name, judged));
  };

  /** @param issued the approval that would let it pass */
  const withRemediation = (judged: Judged, issued: Issued | undefined): Judged => {
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

  /** @returns undefined: the body is not there to be approved */
  const issue = async (
    asked: GuardedRequest,
    name: RecordName | undefined,
    { inspection, known }: Judged,
  ): Promise<Issued | undefined> => {
    const subject = subjectOf(asked, known);
    if (!subject) return undefined;
    if (name) subject.knownNow = knownNow(name, asked.session);
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
    const issued = await approvals.issue(subject, about);
    counts.given++;
    return issued;
  };

  /** Looks where not all is known, and there is somewhere to look. @returns undefined: nothing is to be waited for */
  const find = (asked: GuardedRequest, name: RecordName, cameAt: number): Promise<void> | undefined =>
    knowledge.find !== undefined && !asked.isGone() && !knowledge.of(name, asked.session)?.isWhole
      ? knowledge.find(name, askerOf(asked, cameAt))
      : undefined;

  const mustConfirm = (judged: Judged): boolean =>
    knowledge.confirm !== undefined && losesOnlyPossible(judged);

  /** Looks first where not all is known. What may be gone is looked at before it stops a PATCH. */
  const findAndJudge = (
    asked: GuardedRequest,
    name: RecordName,
    cameAt: number,
  ): Judged | Promise<Judged> => {
    const judged = after(find(asked, name, cameAt), () => judge(asked, name));
    return after(judged, (one) => {
      const confirming = mustConfirm(one) ? knowledge.confirm?.(name, askerOf(asked, cameAt)) : undefined;
      return confirming ? confirming.then(() => judge(asked, name)) : one;
    });
  };

  const askerOf = (asked: GuardedRequest, cameAt: number): Asker => ({ ...asked.request, ...asked, cameAt });

  const whyNot = async (
    token: string,
    asked: GuardedRequest,
    subject: Subject | undefined,
  ): Promise<Refusal | undefined> => {
    if (headerValues(asked.request.headers, APPROVE).length > 1)
      return { refused: `the header ${APPROVE_HEADER} comes more than once` };
    // A body that is too large is blocked for that.
    return subject ? approvals.whyNot(token, subject) : { refused: 'the body is too large to be approved' };
  };

  const subjectOf = ({ request, session }: GuardedRequest, known: Known | undefined): Subject | undefined => {
    const { body, method, url, headers } = request;
    if (body === 'too-large') return undefined;
    const own = knowledge.isOfSession ? `${session.name} ${session.id}` : session.name;
    return { method, url, headers, body, session: own, known: known && kept(known) };
  };

  const kept = (known: Known): Known => ({
    ...known,
    record: redactJson(known.record, redaction) as JsonObject,
  });

  const isAsIn = (subject: Subject, known: Known | undefined): boolean =>
    hashOfState(subject.known) === hashOfState(known && kept(known));

  /** Of what is not known for sure, a look may find that it is as it was. A session may be over. */
  const knownNow = (name: RecordName, session: Session) => {
    if (knowledge.isOfSession) return () => undefined;
    return () => {
      const known = knowledge.of(name, session);
      if (!known?.isWhole || hasPossible(known.record)) return undefined;
      return kept(known);
    };
  };

  return { judge, findAndJudge, judgeWithoutToken, find, mustConfirm, remediate };
}

export function hasToken({ request }: GuardedRequest): boolean {
  return header(request.headers, APPROVE) !== undefined;
}

/** At once where there is nothing to wait for. */
export function after<T, U>(value: T | Promise<T>, next: (value: T) => U | Promise<U>): U | Promise<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** What cannot be judged does not pass, and is no reason for other requests to end. */
export function unjudged(error: unknown): Judged {
  if (error instanceof PatchgateError && error.code === 'store-unavailable') return { inspection: error };
  const message = `the gate could not judge this request: ${messageOf(error)}`;
  return { inspection: new PatchgateError('internal', message) };
}

/** What to do about an approval that is refused. */
function howToGoOn({ pending, isDeclined }: Refusal, isApprovable: boolean): string {
  if (pending) return 'send it again with the same token once it is approved';
  if (isApprovable && !isDeclined) return 'this answer has a new one';
  return 'send it without the header';
}

/** Whether a person can see all that it loses, and say yes to that. */
function mayBeApproved(inspection: Inspection): boolean {
  return inspection.isApprovable === true && lossesOf(inspection) <= MOST_LOST;
}

function lossesOf({ effects = [] }: Inspection): number {
  return effects.filter(losesEnvironment).length;
}

export function isInspection(inspection: Judged['inspection']): inspection is Inspection {
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

export function passes({ inspection }: Judged): boolean {
  return isInspection(inspection) && inspection.verdict.outcome === 'pass';
}

/** A change of which environments there are must be alone; what is blocked changes nothing. */
export function mayShare(judged: Judged): boolean {
  return keepsEnvironments(judged) || !passes(judged);
}

/** Whether it is known that a request passes and leaves a project with the very environments that it has. */
export function keepsEnvironments(judged: Judged): boolean {
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
