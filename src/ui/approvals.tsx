import { useEffect, useRef, useState } from 'preact/hooks';
import type { Approval, Decision } from '../model/approval.ts';
import { sanitize } from '../reporters/wording.ts';
import { post } from './api.ts';
import { announcement, askedBy, currentOf, lossText, outcomeText, pendingOf } from './approval-words.ts';
import { OtherToken, useApprover } from './approver.tsx';
import { Effects } from './effects.tsx';
import { useLive } from './live.ts';
import { Ago, Dialog, Done, type Fact, Facts, Field, Moment, Problem, useLoaded } from './parts.tsx';
import { hrefOf, type Route } from './router.ts';
import { leftText, useNow } from './time.ts';

interface Asked {
  id: string;
  decision: Decision;
}

export function Approvals({ route }: { route: Route }) {
  const id = route.path[1];
  return id === undefined ? <List /> : <One id={id} />;
}

/** All of them are drawn each second. */
const DECIDED_SHOWN = 100;

function List() {
  const now = useNow();
  const approvals = currentOf(useLive().approvals, now);
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
      {decided.slice(0, DECIDED_SHOWN).map((approval) => (
        <Card key={approval.id} approval={approval} now={now} ask={ask} />
      ))}
      {decided.length > DECIDED_SHOWN && <p class="note">The latest {DECIDED_SHOWN} are listed.</p>}
      {dialog}
    </>
  );
}

function One({ id }: { id: string }) {
  const { approvals } = useLive();
  const now = useNow();
  const live = approvals.find((one) => one.id === id);
  const { data, error } = useLoaded<Approval>(live ? undefined : `approvals/${encodeURIComponent(id)}`);
  const found = live ?? data;
  const current = currentOf(found ? [found] : [], now);
  const [approval] = current;
  const { ask, dialog, done, heading } = useDecisions(current);
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
          <Details approval={approval} />
        </>
      )}
      {dialog}
    </>
  );
}

const headingId = (id: string) => `approval-${id}`;

interface CardProps {
  approval: Approval;
  /** Its heading is one level up. */
  isAlone?: boolean;
  now: number;
  ask: (asked: Asked) => void;
}

function Card({ approval, isAlone = false, now, ask }: CardProps) {
  const Heading = isAlone ? 'h2' : 'h3';
  const { id, status, method, url, requestedAt, expiresAt, exchange } = approval;
  const isPending = status === 'pending';
  return (
    <article class="approval" data-status={status} aria-labelledby={headingId(id)}>
      <Heading id={headingId(id)} tabIndex={-1}>
        {!isAlone && <a href={hrefOf(['approvals', id])}>{id}</a>} {method} {sanitize(url)}
      </Heading>
      <Effects effects={approval.effects} omitted={approval.effectsOmitted} />
      <p class="about">
        <span>
          Asked by {askedBy(approval)} <Ago at={requestedAt} now={now} />
        </span>
        {exchange !== undefined && <a href={hrefOf(['exchanges', exchange])}>Exchange {exchange}</a>}
        {!isPending && <strong>{outcomeText(approval)}</strong>}
        {approval.decidedAt && <Ago at={approval.decidedAt} now={now} />}
      </p>
      {approval.reason && <p class="reason">Reason: {sanitize(approval.reason)}</p>}
      {isPending && (
        <>
          <Waiting />
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

function Waiting() {
  const { hasApprovers } = useLive();
  return (
    <p class="quiet">
      {hasApprovers
        ? 'The client was answered, and can send it again once it is approved.'
        : 'The client was answered, and can send it again with its token. Declining voids the token.'}
    </p>
  );
}

function Details({ approval }: { approval: Approval }) {
  const { operation, record, client, session, requestedAt, expiresAt, decidedAt } = approval;
  const facts: Fact[] = [
    ['Operation', operation],
    ['Record', record && `${record.kind} ${record.id} of account ${record.account}`],
    ['Client', client],
    ['Session', session],
    ['Asked', <Moment key="" at={requestedAt} />],
    ['Expires', <Moment key="" at={expiresAt} />],
    ['Decided', decidedAt && <Moment key="" at={decidedAt} />],
  ];
  return (
    <>
      <h2>Details</h2>
      <Facts facts={facts} />
    </>
  );
}

/** The dialog in which a decision is made, and what came of the last one. */
function useDecisions(approvals: readonly Approval[]) {
  const [asked, ask] = useState<Asked>();
  const [{ done, last }, setDone] = useState({ done: '', last: '' });
  const heading = useRef<HTMLHeadingElement>(null);
  const approval = approvals.find(({ id }) => id === asked?.id);
  const close = () => ask(undefined);
  const onDone = (text: string) => {
    setDone({ done: text, last: approval?.id ?? '' });
    close();
  };
  const goOn = () => (document.getElementById(headingId(last)) ?? heading.current)?.focus();
  useEffect(() => {
    if (done !== '') goOn();
  }, [done]);
  const status = approvals.find(({ id }) => id === last)?.status;
  useEffect(() => {
    // Its card has another place by then.
    if (done !== '' && document.activeElement === document.body) goOn();
  }, [status]);
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
  const isPending = approval.status === 'pending';
  const isApproval = decision === 'approve';
  const verb = isApproval ? 'Approve' : 'Decline';
  const { submit, isBusy, field } = useApprover(true, (bearer, form) => {
    const reason = String(form.get('reason')).trim();
    const body = { decision, ...(reason && { reason }) };
    return post<Approval>(`approvals/${encodeURIComponent(approval.id)}`, body, undefined, bearer);
  });
  const onSubmit = async (event: SubmitEvent) => {
    if (await submit(event)) onDone(`${isApproval ? 'Approved' : 'Declined'}: ${approval.id}`);
  };
  const other = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!isPending) other.current?.focus();
  }, [isPending]);
  return (
    <Dialog title={`${verb} ${approval.id}?`} onClose={onClose}>
      <form onSubmit={onSubmit}>
        <p>
          {approval.method} {sanitize(approval.url)}
          <br />
          Asked by {askedBy(approval)}
        </p>
        <Effects effects={approval.effects} omitted={approval.effectsOmitted} />
        <p>
          <strong>{isApproval ? lossText(approval) : 'Nothing is deleted then.'}</strong>
        </p>
        {isPending ? (
          <>
            <Field label="Reason (optional)">
              {(given) => <textarea {...given} name="reason" rows={2} maxLength={500} />}
            </Field>
            {field}
          </>
        ) : (
          <p role="alert">It is no longer pending: {outcomeText(approval)}.</p>
        )}
        {!isPending && approval.reason && <p class="reason">Reason: {sanitize(approval.reason)}</p>}
        <p class="buttons">
          {isPending && (
            <button type="submit" class={isApproval ? 'danger' : undefined} aria-disabled={isBusy}>
              {verb}
            </button>
          )}
          <button type="button" ref={other} onClick={onClose}>
            {isPending ? 'Cancel' : 'Close'}
          </button>
        </p>
      </form>
    </Dialog>
  );
}
