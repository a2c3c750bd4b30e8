import type { Readable } from 'node:stream';
import type { Match } from '../contract/match-operation.ts';
import { messageOf, PatchgateError } from '../errors.ts';
import type { Gate, GateRequest, Inspection } from '../gate/gate.ts';
import { header, headerValues } from '../http/http.ts';
import type { JsonObject } from '../json/json.ts';
import { losesEnvironment } from '../model/effect.ts';
import type { Known, RecordName } from '../model/record.ts';
import { correctedProject } from '../state/corrected.ts';
import type { Session } from '../upstreams/session.ts';
import { APPROVE_HEADER, Approvals, type Refusal, type Subject } from './approvals.ts';
import type { Asker, Knowledge } from './knowledge.ts';
import { type HeldLock, RecordLocks } from './record-locks.ts';

interface GuardOptions {
  gate: Gate;
  knowledge: Knowledge;
  mode: 'on' | 'strict' | 'off';
  /** Milliseconds that an approval may be used. */
  approvalTtl: number;
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
}

export interface Judged {
  /** An error: it could not be judged, and must not pass. Undefined: no client waits any more. */
  inspection: Inspection | PatchgateError | undefined;
  /** Of what was blocked because of what it loses: how to go on. */
  remediation?: Remediation;
  /** A token was used for it. */
  isApproved?: boolean;
}

/** What was known counted. */
interface JudgedBy extends Judged {
  known?: Known | undefined;
}

export interface Remediation {
  /** Sent with the same request in `Patchgate-Approve`, it lets it pass; absent where no approval does. */
  approve?: string;
  /** The body that does the same and loses nothing; absent where it is not known. */
  corrected?: JsonObject;
}

export interface Guard {
  /** How many approvals were given out with a 409, and used. */
  readonly approvals: { readonly given: number; readonly used: number };
  /**
   * Judges a request by what is known when it has its record's lock, at once where it can: a PATCH that may lose something for good
   * passes when those of the same record before it are over, so that no two pass on the same old state.
   *
   * @param done called once, unless it is withdrawn. @param release where it has a lock: to be called when the request is over
   * @returns withdraws it, since its client is gone. False: it does not wait
   */
  judge(asked: Asked, done: (judged: Judged, release?: () => void) => void): () => boolean;
  /** One with the same locks and approvals that judges by another gate. */
  by(gate: Gate, mode: GuardOptions['mode']): Guard;
}

const APPROVE = APPROVE_HEADER.toLowerCase();
const NOT_WAITING = () => false;

export function createGuard(options: GuardOptions): Guard {
  const counts = { given: 0, used: 0 };
  return guardOf(options, new RecordLocks(), new Approvals(options.approvalTtl), counts);
}

function guardOf(
  options: GuardOptions,
  locks: RecordLocks,
  approvals: Approvals,
  counts: { given: number; used: number },
): Guard {
  const { gate, knowledge, mode } = options;

  const judge = (asked: Asked, name: RecordName | undefined): JudgedBy => {
    if (asked.isGone()) return { inspection: undefined };
    try {
      const known = name && knowledge.of(name, asked.session);
      return mode === 'off' ? inspect(asked, known) : guarded(asked, known);
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

  const guarded = (asked: Asked, known: Known | undefined): JudgedBy => {
    const { request, match } = asked;
    const token = header(request.headers, APPROVE);
    const refusal = token === undefined ? undefined : whyNot(asked, known);
    if (token !== undefined && !refusal) {
      const inspection = gate.inspect(request, match, { known, approval: 'approved' });
      if (inspection.verdict.outcome === 'block') return { inspection, known };
      // Nothing stands between this and the forwarding.
      approvals.use(token);
      counts.used++;
      return { inspection, known, isApproved: true };
    }
    let inspection = gate.inspect(request, match, { known });
    const isBlocked = inspection.verdict.problem === 'destructive-change';
    // Where there is nothing to approve, a token that was never given out is only noise.
    if (refusal && (isBlocked || !refusal.isUnknown)) {
      const hint = isBlocked ? 'this answer has a new one' : 'send it without the header';
      inspection = gate.inspect(request, match, { known, approval: { ...refusal, hint } });
    }
    const subject = isBlocked ? subjectOf(asked, known) : undefined;
    if (!subject) return { inspection, known };
    const corrected = known && correctedBody(known, inspection);
    const approve = inspection.isApprovable && approvals.issue(subject);
    const remediation = { ...(approve && { approve }), ...(corrected && { corrected }) };
    return { inspection, known, remediation };
  };

  /** Looks where not all is known, and there is somewhere to look. @returns undefined: nothing is to be waited for */
  const find = (asked: Asked, name: RecordName, cameAt: number): Promise<void> | undefined =>
    knowledge.find !== undefined && !asked.isGone() && !knowledge.of(name, asked.session)?.isWhole
      ? knowledge.find(name, askerOf(asked, cameAt))
      : undefined;

  const mustConfirm = (judged: Judged): boolean =>
    knowledge.confirm !== undefined && losesOnlyPossible(judged);

  const askerOf = (asked: Asked, cameAt: number): Asker => ({ ...asked.request, ...asked, cameAt });

  const whyNot = (asked: Asked, known: Known | undefined): Refusal | undefined => {
    const [token = '', ...others] = headerValues(asked.request.headers, APPROVE);
    if (others.length > 0) return { refused: `the header ${APPROVE_HEADER} comes more than once` };
    const subject = subjectOf(asked, known);
    // A body that is too large is blocked for that.
    return subject ? approvals.whyNot(token, subject) : { refused: 'the body is too large to be approved' };
  };

  return {
    by: (gate, mode) => guardOf({ ...options, gate, mode }, locks, approvals, counts),
    approvals: counts,
    judge(asked, tell) {
      const done: typeof tell = (judged, release) => {
        if (judged.remediation?.approve !== undefined) counts.given++;
        tell(judged, release);
      };
      const name = gate.recordOf(asked.match);
      if (!name || !gate.guards(name.kind)) {
        done(judge(asked, name));
        return NOT_WAITING;
      }
      const cameAt = performance.now();
      if (mode === 'off') {
        const finding = find(asked, name, cameAt);
        if (!finding) done(judge(asked, name));
        else void finding.then(() => done(judge(asked, name)));
        return NOT_WAITING;
      }
      const locked = (lock: HeldLock, judged: JudgedBy) => {
        done(judged, () => lock.release());
        if (keepsEnvironments(judged)) lock.share();
      };
      const judgedAfter = async (finding: Promise<void>): Promise<JudgedBy> => {
        await finding;
        const judged = judge(asked, name);
        return mustConfirm(judged) ? confirmed() : judged;
      };
      /** What may be gone is looked at before it stops a PATCH. */
      const confirmed = async (): Promise<JudgedBy> => {
        await knowledge.confirm?.(name, askerOf(asked, cameAt));
        return judge(asked, name);
      };
      const whose = knowledge.isOfSession ? asked.session.id : '';
      return locks.acquire(`${name.kind} ${name.id} ${whose}`, {
        exclusive(lock) {
          const finding = find(asked, name, cameAt);
          const judged = finding ? judgedAfter(finding) : judge(asked, name);
          if (judged instanceof Promise) void judged.then((one) => locked(lock, one));
          else if (mustConfirm(judged)) void confirmed().then((one) => locked(lock, one));
          else locked(lock, judged);
        },
        shared(lock) {
          // An approval is used up by being looked at.
          if (header(asked.request.headers, APPROVE) !== undefined) return false;
          const judged = judge(asked, name);
          if (mustConfirm(judged)) return false;
          // A change of which environments there are must be alone; what is blocked changes nothing.
          const mayGo = keepsEnvironments(judged) || !passes(judged);
          if (mayGo) done(judged, () => lock.release());
          return mayGo;
        },
      });
    },
  };
}

/** Whether a PATCH is stopped for environments alone that may be gone already. */
function losesOnlyPossible({ inspection }: Judged): boolean {
  if (!inspection || !('verdict' in inspection)) return false;
  if (inspection.verdict.problem !== 'destructive-change') return false;
  const lost = inspection.effects?.filter((effect) => losesEnvironment(effect) && !effect.allowed) ?? [];
  return (
    lost.length > 0 && lost.every((effect) => losesEnvironment(effect) && effect.possibleSince !== undefined)
  );
}

function passes({ inspection }: Judged): boolean {
  return inspection !== undefined && 'verdict' in inspection && inspection.verdict.outcome === 'pass';
}

/** Whether it is known that a request passes and leaves a project with the very environments that it has. */
function keepsEnvironments(judged: JudgedBy): boolean {
  if (!judged.known?.isWhole || !passes(judged)) return false;
  const { effects = [] } = judged.inspection as Inspection;
  return !effects.some((effect) => losesEnvironment(effect) || effect.kind === 'environment-created');
}

function subjectOf({ request, session }: Asked, known: Known | undefined): Subject | undefined {
  const { body, method, url, headers } = request;
  return body === 'too-large' ? undefined : { method, url, headers, body, session: session.id, known };
}

function correctedBody(known: Known, { json, effects = [] }: Inspection): JsonObject | undefined {
  return json === undefined ? undefined : correctedProject(known.record, json, effects);
}
