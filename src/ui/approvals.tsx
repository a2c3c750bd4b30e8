import { useEffect, useRef, useState } from 'preact/hooks';
import type { Approval } from '../model/approval.ts';
import { sanitize } from '../reporters/wording.ts';
import { ApiError, loadExchange, post, useLoaded } from './api.ts';
import { Comparison } from './diff-view.tsx';
import { useLive } from './live.ts';
import { Section, Table } from './parts.tsx';
import { hrefOf } from './router.ts';
import { useStore } from './store.ts';
import { approverToken } from './tokens.ts';
import { lostBy, timeOf } from './words.ts';

/** As they are now: no event says that one has expired. */
function useApprovals(): { pending: Approval[]; decided: Approval[]; now: number } {
  const { approvals } = useLive();
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  const current = approvals.map((one) => currentOf(one, now));
  const isPending = ({ status }: Approval) => status === 'pending';
  return {
    // The one that ends first is the first, so that a new one moves no other.
    pending: current.filter(isPending).sort((a, b) => a.expiresAt.localeCompare(b.expiresAt)),
    decided: current.filter((one) => !isPending(one)),
    now,
  };
}

export const usePending = (): Approval[] => useApprovals().pending;

function currentOf(approval: Approval, now: number): Approval {
  const isOver = Date.parse(approval.expiresAt) <= now;
  return isOver && /^(?:pending|approved)$/.test(approval.status)
    ? { ...approval, status: 'expired' }
    : approval;
}

const lossOf = ({ effects }: Approval): string => lostBy(effects) || 'environments that are not known';

/** On every page while a PATCH waits. */
export function ApprovalBanner() {
  const pending = usePending();
  const [first] = pending;
  return (
    <div role="status">
      {first && (
        <p class="banner flow">
          <strong>
            {pending.length === 1 ? '1 PATCH waits' : `${pending.length} PATCHes wait`} for an approval
          </strong>
          <span>{`${sanitize(first.url)}: deletes ${lossOf(first)} for good`}</span>
          <a href={hrefOf('approvals')}>Review</a>
        </p>
      )}
    </div>
  );
}

/** @param id of the one that the address names */
export function Approvals({ id }: { id: string }) {
  const { approvals, health } = useLive();
  const { pending, decided } = useApprovals();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls by keys
    <section class="approvals" aria-label="Approvals" tabIndex={0}>
      <h1>Approvals</h1>
      {id !== '' && health && !approvals.some((one) => one.id === id) && (
        <p role="alert">There is no approval {sanitize(id)}: it may have been made by an earlier run.</p>
      )}
      {pending.length === 0 && <p class="quiet">Nothing waits for an approval.</p>}
      {pending.map((approval) => (
        <ApprovalCard key={approval.id} approval={approval} isLinked={approval.id === id} isWhole />
      ))}
      {decided.length > 0 && (
        <Section title="Decisions">
          <Table title="Decisions" columns={['Asked', 'Request', 'Deletes', 'Outcome']}>
            <tbody>
              {decided.map((approval) => (
                <tr key={approval.id} class={approval.id === id ? 'linked' : undefined}>
                  <td>{timeOf(approval.requestedAt)}</td>
                  <td>
                    <RequestLink approval={approval} />
                  </td>
                  <td>{lossOf(approval)}</td>
                  <td>{outcomeOf(approval)}</td>
                </tr>
              ))}
            </tbody>
          </Table>
        </Section>
      )}
    </section>
  );
}

function RequestLink({ approval: { exchange, method, url } }: { approval: Approval }) {
  const text = sanitize(`${method} ${url}`);
  return exchange === undefined ? text : <a href={hrefOf('exchanges', exchange)}>{text}</a>;
}

/** `approved by anna at 14:03:22, and used: it has moved` */
function outcomeOf({ status, decidedBy, decidedAt, reason }: Approval): string {
  const by = `${decidedBy ? ` by ${decidedBy}` : ''}${decidedAt ? ` at ${timeOf(decidedAt)}` : ''}`;
  const words: Partial<Record<Approval['status'], string>> = {
    approved: `approved${by}; the client has to send it again`,
    used: decidedAt ? `approved${by}, and used` : 'used with the token of the 409',
    expired: decidedAt ? `approved${by}, ended without use` : 'ended without a decision',
  };
  return sanitize(`${words[status] ?? `${status}${by}`}${reason ? `: ${reason}` : ''}`);
}

type CardProps = { approval: Approval; isLinked?: boolean; isWhole?: boolean };

/** The environments that a PATCH deletes, who asks, and the decision. @param props `isWhole`: with its request and diff */
export function ApprovalCard({ approval, isLinked = false, isWhole = false }: CardProps) {
  const { now } = useApprovals();
  const card = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isLinked) card.current?.scrollIntoView();
  }, [isLinked]);
  const current = currentOf(approval, now);
  if (current.status !== 'pending')
    return <p class="card">{`Approval ${current.id}: ${outcomeOf(current)}`}</p>;
  const { client = 'a client', session, requestedAt, expiresAt, exchange } = current;
  const asker = session ? `${client} in session ${session}` : client;
  const seconds = Math.ceil((Date.parse(expiresAt) - now) / 1000);
  return (
    <div class="card pending" ref={card}>
      <Section title={`Deletes ${lossOf(current)} for good`}>
        {isWhole && <RequestLink approval={current} />}
        <p>
          {sanitize(`Asked by ${asker} at ${timeOf(requestedAt)}.`)} Ends in{' '}
          <strong>{`${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`}</strong>.
        </p>
        <Decide approval={current} />
      </Section>
      {isWhole && exchange !== undefined && <CardDiff exchange={exchange} />}
    </div>
  );
}

function CardDiff({ exchange: id }: { exchange: number }) {
  const { data } = useLoaded(id, () => loadExchange(id));
  return data ? <Comparison exchange={data} /> : null;
}

function Decide({ approval }: { approval: Approval }) {
  const { needsApprover } = useLive();
  const kept = useStore(approverToken);
  const [error, setError] = useState<Error>();
  const form = useRef<HTMLFormElement>(null);
  const isRefused = error instanceof ApiError && (error.status === 401 || error.status === 403);
  const decide = async (decision: 'approve' | 'decline') => {
    if (!form.current?.reportValidity()) return;
    const given = new FormData(form.current);
    const token = String(given.get('token') ?? '').trim();
    try {
      await post(`approvals/${approval.id}`, { decision, reason: given.get('reason') }, token || kept);
      if (token !== '') approverToken.set(token);
    } catch (thrown) {
      setError(thrown as Error);
    }
  };
  return (
    // Enter decides nothing: a decision takes one of the two buttons.
    <form ref={form} class="flow" onSubmit={(event) => event.preventDefault()}>
      {(isRefused || (needsApprover && kept === null)) && (
        <label>
          Your approver’s token <input name="token" type="password" autocomplete="off" required />
        </label>
      )}
      <label>
        Reason <input name="reason" maxLength={500} placeholder="optional" />
      </label>
      <button type="button" class="danger" onClick={() => void decide('approve')}>
        Approve: delete {lossOf(approval)}
      </button>
      <button type="button" onClick={() => void decide('decline')}>
        Decline
      </button>
      {error && (
        <p role="alert" class="bad">
          {sanitize(`${isRefused ? 'This needs the token of an approver. ' : ''}${error.message}`)}
        </p>
      )}
    </form>
  );
}
