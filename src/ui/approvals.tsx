import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, post } from './api.ts';
import type { Approval } from './approval.ts';
import { Effects, lostBy, printable } from './effects.tsx';
import { useLive } from './live.ts';
import { Ago, Dialog, Done, Field, Problem, problemText, useLoaded } from './parts.tsx';
import { hrefOf, type Route } from './router.ts';
import { agoText, leftText, useNow } from './time.ts';

type Decision = 'approve' | 'decline';

interface Asked {
  id: string;
  decision: Decision;
}

export function Approvals({ route }: { route: Route }) {
  const id = route.path[1];
  return id === undefined ? <List /> : <One id={id} />;
}

function List() {
  const { approvals } = useLive();
  const now = useNow();
  const { ask, dialog, done, heading } = useDecisions(approvals);
  const pending = pendingOf(approvals);
  const decided = approvals.filter(({ status }) => status !== 'pending');
  return (
    <>
      <h1 tabIndex={-1} ref={heading}>
        Approvals
      </h1>
      <p role="status" class="unseen">
        {announcement(pending, now)}
      </p>
      <Done text={done} />
      <OtherToken />
      <h2>Pending ({pending.length})</h2>
      {pending.length === 0 && <p class="quiet">Nothing waits for an approval.</p>}
      {pending.map((approval) => (
        <Card key={approval.id} approval={approval} now={now} ask={ask} />
      ))}
      <h2>Decided ({decided.length})</h2>
      {decided.length === 0 && <p class="quiet">Nothing was decided yet.</p>}
      {decided.map((approval) => (
        <Card key={approval.id} approval={approval} now={now} ask={ask} />
      ))}
      {dialog}
    </>
  );
}

function One({ id }: { id: string }) {
  const { approvals } = useLive();
  const now = useNow();
  const live = approvals.find((one) => one.id === id);
  const { data, error } = useLoaded<Approval>(live ? undefined : `approvals/${encodeURIComponent(id)}`);
  const approval = live ?? data;
  const { ask, dialog, done, heading } = useDecisions(approval ? [approval] : []);
  return (
    <>
      <p>
        <a href={hrefOf(['approvals'])}>All approvals</a>
      </p>
      <h1 tabIndex={-1} ref={heading}>
        Approval {id}
      </h1>
      <Done text={done} />
      <OtherToken />
      <Problem error={approval ? undefined : error} />
      {approval && (
        <>
          <Card approval={approval} isAlone now={now} ask={ask} />
          <Details approval={approval} now={now} />
        </>
      )}
      {dialog}
    </>
  );
}

interface CardProps {
  approval: Approval;
  /** Its heading is one level up. */
  isAlone?: boolean;
  now: number;
  ask: (asked: Asked) => void;
}

function Card({ approval, isAlone = false, now, ask }: CardProps) {
  const Heading = isAlone ? 'h2' : 'h3';
  const { id, status, method, url, effects, requestedAt, expiresAt, exchange } = approval;
  const isPending = status === 'pending';
  return (
    <article class="approval" data-status={status} aria-labelledby={`approval-${id}`}>
      <Heading id={`approval-${id}`}>
        {!isAlone && <a href={hrefOf(['approvals', id])}>{id}</a>} {method} {printable(url)}
      </Heading>
      <Effects effects={effects} />
      <p class="facts">
        <span>
          Asked by {askedBy(approval)} <Ago at={requestedAt} now={now} />
        </span>
        {exchange !== undefined && <a href={hrefOf(['exchanges', exchange])}>Exchange {exchange}</a>}
        {!isPending && <strong>{outcomeText(approval)}</strong>}
        {approval.decidedAt && <Ago at={approval.decidedAt} now={now} />}
      </p>
      {approval.reason && <p class="reason">Reason: {printable(approval.reason)}</p>}
      {isPending && (
        <>
          <Waiting approval={approval} />
          <p class="buttons">
            <button type="button" class="danger" onClick={() => ask({ id, decision: 'approve' })}>
              Approve…<span class="unseen"> {id}</span>
            </button>
            <button type="button" onClick={() => ask({ id, decision: 'decline' })}>
              Decline…<span class="unseen"> {id}</span>
            </button>
            {/* It counts: who wants to hear it reads it here. */}
            <span class="left">
              <span class="digits">{leftText(expiresAt, now)}</span> left
            </span>
          </p>
        </>
      )}
    </article>
  );
}

function Waiting({ approval: { held } }: { approval: Approval }) {
  const { hasApprovers } = useLive();
  const text = held
    ? 'Held: the client’s request is open, and goes on when it is approved.'
    : hasApprovers
      ? 'Not held: the client was answered, and can send it again once it is approved.'
      : 'Not held: the client was answered, and can send it again with its token. To decline it voids the token.';
  return <p class="quiet">{text}</p>;
}

function Details({ approval, now }: { approval: Approval; now: number }) {
  const { operation, record, client, who, session, requestedAt, expiresAt, decidedAt } = approval;
  const facts: [name: string, value: string | undefined][] = [
    ['Operation', operation],
    ['Record', record && `${record.kind} ${record.id} of account ${record.account}`],
    ['Client', [who, client].filter(Boolean).join(', ')],
    ['Session', session],
    ['Asked', `${requestedAt}, ${agoText(requestedAt, now)}`],
    ['Expires', expiresAt],
    ['Decided', decidedAt],
  ];
  return (
    <>
      <h2>Details</h2>
      <dl class="details">
        {facts.map(
          ([name, value]) =>
            value && (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{printable(value)}</dd>
              </div>
            ),
        )}
      </dl>
    </>
  );
}

/** The dialog in which a decision is made, and what came of the last one. */
function useDecisions(approvals: readonly Approval[]) {
  const [asked, ask] = useState<Asked>();
  const [done, setDone] = useState('');
  const heading = useRef<HTMLHeadingElement>(null);
  const approval = approvals.find(({ id }) => id === asked?.id);
  const close = () => ask(undefined);
  const onDone = (text: string) => {
    setDone(text);
    close();
    // The buttons go away with the question.
    heading.current?.focus();
  };
  const dialog = asked && approval && (
    <DecisionDialog
      key={asked.id}
      approval={approval}
      decision={asked.decision}
      onClose={close}
      onDone={onDone}
    />
  );
  return { ask, dialog, done, heading };
}

interface DecisionProps {
  approval: Approval;
  decision: Decision;
  onClose: () => void;
  onDone: (text: string) => void;
}

function DecisionDialog({ approval, decision, onClose, onDone }: DecisionProps) {
  const [error, setError] = useState<Error>();
  const [isAsking, setAsking] = useState(false);
  const { hasApprovers } = useLive();
  const isPending = approval.status === 'pending';
  const isApproval = decision === 'approve';
  const wantsToken = hasApprovers && isRefusal(error);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget as HTMLFormElement);
    const reason = String(given.get('reason')).trim();
    const typed = String(given.get('token') ?? '').trim();
    setAsking(true);
    try {
      await decide(approval.id, decision, reason, typed || approverToken());
      if (typed) keepApproverToken(typed);
      onDone(`${isApproval ? 'Approved' : 'Declined'}: ${approval.id}`);
    } catch (thrown) {
      if (isRefusal(thrown) && !typed) keepApproverToken(undefined);
      setError(thrown as Error);
    }
    setAsking(false);
  };
  return (
    <Dialog title={`${isApproval ? 'Approve' : 'Decline'} ${approval.id}?`} onClose={onClose}>
      <form onSubmit={submit}>
        <p>
          {approval.method} {printable(approval.url)}, asked by {askedBy(approval)}
        </p>
        <Effects effects={approval.effects} />
        <p>
          <strong>{isApproval ? lossText(approval) : 'Nothing is lost then.'}</strong>
        </p>
        {wantsToken && (
          <Field
            label="Your approver’s token"
            hint="Kept in this tab, for decisions alone."
            error={problemText(error as Error)}
          >
            {(field) => <input {...field} name="token" type="password" autocomplete="off" required />}
          </Field>
        )}
        {!wantsToken && isPending && <Problem error={error} />}
        {isPending ? (
          <Field label="Reason (optional)">
            {(field) => <textarea {...field} name="reason" rows={2} maxLength={500} />}
          </Field>
        ) : (
          <p role="alert">It is no longer pending: {outcomeText(approval)}.</p>
        )}
        <p class="buttons">
          {isPending && (
            <button type="submit" class={isApproval ? 'danger' : ''} disabled={isAsking}>
              {isApproval ? 'Approve' : 'Decline'}
            </button>
          )}
          <button type="button" onClick={onClose}>
            {isPending ? 'Cancel' : 'Close'}
          </button>
        </p>
      </form>
    </Dialog>
  );
}

const isRefusal = (error: unknown) =>
  error instanceof ApiError && (error.status === 403 || error.status === 401);

function decide(id: string, decision: Decision, reason: string, bearer: string | undefined) {
  const body = { decision, ...(reason && { reason }) };
  return post<Approval>(`approvals/${encodeURIComponent(id)}`, body, undefined, bearer);
}

const TOKEN_KEY = 'patchgate.approver';
const approverToken = () => sessionStorage.getItem(TOKEN_KEY) ?? undefined;

function keepApproverToken(token: string | undefined): void {
  if (token === undefined) sessionStorage.removeItem(TOKEN_KEY);
  else sessionStorage.setItem(TOKEN_KEY, token);
}

/** Says that decisions are made with another token than the page's, and forgets that. */
function OtherToken() {
  const [isKept, setKept] = useState(approverToken() !== undefined);
  const { approvals } = useLive();
  // One may have been given with a decision, which changes the list.
  useEffect(() => setKept(approverToken() !== undefined), [approvals]);
  if (!isKept) return null;
  const forget = () => {
    keepApproverToken(undefined);
    setKept(false);
  };
  return (
    <p class="quiet">
      Decisions are made with the approver’s token that you gave.{' '}
      <button type="button" onClick={forget}>
        Forget it
      </button>
    </p>
  );
}

/** What expires first is the first one, so that a new one moves no other. */
export function pendingOf(approvals: readonly Approval[]): Approval[] {
  return approvals
    .filter(({ status }) => status === 'pending')
    .sort((a, b) => Date.parse(a.expiresAt) - Date.parse(b.expiresAt));
}

/** Said when it changes: how many there are, and once that one of them has a minute left. */
export function announcement(pending: readonly Approval[], now: number): string {
  const [first] = pending;
  if (!first) return 'Nothing waits for an approval';
  const count = pending.length === 1 ? '1 request waits' : `${pending.length} requests wait`;
  const isUrgent = Date.parse(first.expiresAt) - now < 60_000;
  return `${count} for an approval${isUrgent ? `; ${first.id} expires in less than a minute` : ''}`;
}

/** `ci (127.0.0.1), session tests` */
export function askedBy({ who, client, session }: Pick<Approval, 'who' | 'client' | 'session'>): string {
  const name = who === undefined ? (client ?? 'a client') : client === undefined ? who : `${who} (${client})`;
  return printable(session ? `${name}, session ${session}` : name);
}

/** `declined by anna` */
export function outcomeText({ status, decidedBy, decidedAt }: Approval): string {
  const by = decidedBy ? ` by ${printable(decidedBy)}` : '';
  switch (status) {
    case 'approved':
      return `approved${by}, not used yet`;
    case 'used':
      return decidedAt ? `approved${by}, and used` : 'used with its token';
    case 'expired':
      return decidedAt ? `approved${by}, expired unused` : 'expired';
    case 'withdrawn':
      return 'withdrawn: the client went away';
    default:
      return `${status}${by}`;
  }
}

export function lossText({ effects }: Pick<Approval, 'effects'>): string {
  const lost = lostBy(effects);
  if (lost.length === 0) return 'What it deletes is not known.';
  return `This deletes for good: ${lost.join(', ')}.`;
}
