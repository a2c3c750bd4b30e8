import { useState } from 'preact/hooks';
import { sanitize } from '../reporters/wording.ts';
import { del } from './api.ts';
import { Confirm } from './approver.tsx';
import { useLive } from './live.ts';
import { Ago, Done, Head, Problem, useDone, useLoaded, useOnTraffic } from './parts.tsx';
import { environmentsOf, type KnownRecord, titleOf } from './record-words.ts';
import type { Route } from './router.ts';
import { useNow } from './time.ts';

export function StatePage(_: { route: Route }) {
  const { hasState } = useLive();
  const { data, error, reload } = useLoaded<{ file?: string; records: KnownRecord[] }>(
    hasState ? 'state/records' : undefined,
  );
  useOnTraffic(reload);
  const now = useNow();
  const [asked, ask] = useState<KnownRecord>();
  const { done, setDone, heading } = useDone();
  const records = data?.records ?? [];
  const forget = async ({ account, kind, id }: KnownRecord, bearer?: string) => {
    await del(['state', account, `${kind}s`, id].map(encodeURIComponent).join('/'), bearer);
    return `Forgotten: ${kind} ${id}`;
  };
  const close = () => ask(undefined);
  const onDone = (text: string) => {
    close();
    setDone(text);
    reload();
  };
  return (
    <>
      <h1 tabIndex={-1} ref={heading}>
        Known records
      </h1>
      <Done text={done} />
      {hasState === false && (
        <p class="quiet">
          What is known depends on the session here. In a proxy it is listed; the fake shows each record with
          a GET.
        </p>
      )}
      <Problem error={error} />
      {data && (
        <p class="quiet">
          The guard says by these what a PATCH deletes.{' '}
          {data.file ? `Kept in ${data.file}.` : 'Kept in memory alone.'}
        </p>
      )}
      {data && records.length === 0 && (
        <p>Nothing is known yet. A record is known once an answer shows it or a PATCH of it passed.</p>
      )}
      {records.length > 0 && (
        <table class="stacked">
          <caption class="unseen">Known records</caption>
          <Head columns={['Record', 'Account', 'Holds', 'Last seen']} hasAction />
          <tbody>
            {records.map((one) => (
              <tr key={JSON.stringify([one.path, one.account, one.kind, one.id])}>
                <th scope="row">{titleOf(one)}</th>
                <td data-label="Account">
                  {one.account}
                  {one.path !== undefined && <span class="quiet"> below {sanitize(one.path)}</span>}
                </td>
                <td data-label="Holds">
                  <Holding {...one} />
                </td>
                <td data-label="Last seen">
                  {one.seenAt ? <Ago at={one.seenAt} now={now} /> : 'before this run (state file)'}
                </td>
                <td>
                  <button type="button" onClick={() => ask(one)}>
                    Forget…<span class="unseen"> {titleOf(one)}</span>
                  </button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {asked && (
        <Confirm
          title={`Forget ${titleOf(asked)}?`}
          isForApprovers
          action="Forget it"
          onConfirm={(bearer) => forget(asked, bearer)}
          onDone={onDone}
          onClose={close}
        >
          <p>
            Until it is seen again, the guard does not know what a PATCH of it deletes. What is known of it
            under other paths goes, too.
          </p>
          <Holding {...asked} />
        </Confirm>
      )}
    </>
  );
}

function Holding({ record, incomplete }: KnownRecord) {
  const environments = environmentsOf(record.environments);
  const languages = Array.isArray(record.languages) ? record.languages.map(String) : [];
  return (
    <>
      {incomplete && <p class="note">Incomplete: the service may hold more.</p>}
      {environments.length > 0 && (
        <ul class="plain">
          {environments.map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      )}
      {languages.length > 0 && <p class="quiet">{sanitize(languages.join(', '))}</p>}
    </>
  );
}
