import { useState } from 'preact/hooks';
import { sanitize } from '../reporters/wording.ts';
import type { ServedExchange } from '../upstreams/session.ts';
import { del } from './api.ts';
import { Confirm } from './approver.tsx';
import { DEFAULT_SESSION } from './exchange-filter.ts';
import { Ago, Done, Head, Moment, Problem, useDone, useLoaded, useOnTraffic } from './parts.tsx';
import { hrefOf, type Route } from './router.ts';
import { useNow } from './time.ts';

interface ShownSession {
  /** `""` is the default one. */
  name: string;
  startedAt: string;
  lastUsedAt: string;
  requests: number;
  /** Absent where nothing is replayed. */
  served?: number;
  exchanges?: ServedExchange[];
  /** There were more exchanges. */
  cut?: true;
}

const nameOf = (name: string) => (name === '' ? 'default session' : name);

export function Sessions(_: { route: Route }) {
  const { data, error, reload } = useLoaded<{ sessions: ShownSession[] }>('sessions');
  useOnTraffic(reload);
  const now = useNow();
  const [asked, ask] = useState<string>();
  const [opened, open] = useState<string>();
  const { done, setDone, heading } = useDone();
  const sessions = data?.sessions ?? [];
  const replays = sessions.some(({ served }) => served !== undefined);
  const end = async (name: string) => {
    await del(`sessions/${encodeURIComponent(name)}`);
    return `Ended: ${name}`;
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
        Sessions
      </h1>
      <Done text={done} />
      <Problem error={error} />
      <table class="stacked">
        <caption class="unseen">Sessions in use</caption>
        <Head
          columns={[
            'Session',
            'Requests',
            ...(replays ? ['Served from the recording'] : []),
            'Begun',
            'Last used',
          ]}
          hasAction
        />
        <tbody>
          {sessions.map(({ name, requests, served, startedAt, lastUsedAt }) => (
            <tr key={name}>
              <th scope="row">
                <a href={hrefOf([], { session: name || DEFAULT_SESSION })}>{sanitize(nameOf(name))}</a>
              </th>
              <td data-label="Requests" class="digits">
                {requests}
              </td>
              {replays && (
                <td data-label="Served" class="digits">
                  {served}{' '}
                  {!!served && (
                    <button
                      type="button"
                      aria-expanded={opened === name}
                      onClick={() => open(opened === name ? undefined : name)}
                    >
                      {opened === name ? 'Hide' : 'Show'}
                      <span class="unseen"> what {nameOf(name)} was served</span>
                    </button>
                  )}
                </td>
              )}
              <td data-label="Begun">
                <Ago at={startedAt} now={now} />
              </td>
              <td data-label="Last used">{requests > 0 && <Ago at={lastUsedAt} now={now} />}</td>
              <td>
                {name !== '' && (
                  <button type="button" onClick={() => ask(name)}>
                    End…<span class="unseen"> {name}</span>
                  </button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {opened !== undefined && <ServedTo name={opened} />}
      {asked !== undefined && (
        <Confirm
          title={`End session ${asked}?`}
          action="End it"
          onConfirm={() => end(asked)}
          onDone={onDone}
          onClose={close}
        >
          <p>
            Its place in the recording and its faults go. The next request of that name begins another
            session.
          </p>
        </Confirm>
      )}
    </>
  );
}

function ServedTo({ name }: { name: string }) {
  const asked = `sessions?session=${encodeURIComponent(name)}`;
  const { data, error, reload } = useLoaded<{ sessions: ShownSession[] }>(asked);
  useOnTraffic(reload);
  const [session] = data?.sessions ?? [];
  return (
    <>
      <h2>Served to {sanitize(nameOf(name))}</h2>
      <Problem error={error} />
      {session && (
        <table class="stacked">
          <Head columns={['Recorded exchange', 'Place in its file', 'Recorded', 'Served']} />
          <tbody>
            {session.exchanges?.map(({ method, path, index, recordedAt, times }) => (
              <tr key={`${method} ${path} ${index}`}>
                <th scope="row">
                  {method} {sanitize(path)}
                </th>
                <td data-label="Place in its file" class="digits">
                  {index + 1}
                </td>
                <td data-label="Recorded">
                  <Moment at={recordedAt} />
                </td>
                <td data-label="Served" class="digits">
                  {times === 1 ? 'once' : `${times} times`}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {session?.cut && <p class="note">There were more than are kept track of.</p>}
    </>
  );
}
