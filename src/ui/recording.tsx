import { grouped, sanitize } from '../reporters/wording.ts';
import type { Missed } from '../upstreams/replay/misses.ts';
import type { Unserved } from '../upstreams/replay/unserved.ts';

import { useLive } from './live.ts';
import { exchangeOf } from './miss.ts';
import { type Fact, Facts, Head, Moment, Problem, useLoaded, useOnTraffic, WithOptions } from './parts.tsx';
import { hrefOf, type Route } from './router.ts';

interface ShownRecording {
  name: string;
  mode: string;
  doing?: string;
  exchanges?: number;
  recorded?: number;
  waiting?: number;
  lost?: number;
  journalBytes?: number;
  trouble?: string;
  unserved?: Unserved;
  misses?: Missed;
}

export function Recording(_: { route: Route }) {
  const { hasRecording } = useLive();
  const { data, error, reload } = useLoaded<ShownRecording>(hasRecording ? 'recording' : undefined);
  // What was never served is looked for in all files.
  useOnTraffic(reload, 5000);
  return (
    <>
      <h1>Recording</h1>
      {hasRecording === false && (
        <p class="quiet">
          Nothing is recorded or replayed here: start with <code class="option">--record</code>, or with
          replay.
        </p>
      )}
      <Problem error={error} />
      {data && (
        <>
          {data.trouble && (
            <p role="alert" class="problem">
              {data.trouble}
            </p>
          )}
          <RecordingFacts {...data} />
          {data.misses && <Misses {...data.misses} />}
          {data.unserved && <NeverServed {...data.unserved} />}
        </>
      )}
    </>
  );
}

function RecordingFacts(recording: ShownRecording) {
  const { name, doing, mode, exchanges, recorded, waiting, lost, journalBytes } = recording;
  const facts: Fact[] = [
    ['Name', name],
    ['Mode', doing ?? mode],
    ['Exchanges', exchanges],
    ['Recorded in this run', recorded],
    ['Not on disk yet', waiting || undefined],
    ['Lost', lost || undefined],
    ['Bytes in the journal', journalBytes],
  ];
  return <Facts facts={facts} />;
}

function Misses({ count, misses }: Missed) {
  const { exchanges } = useLive();
  return (
    <>
      <h2>Misses ({grouped(count)})</h2>
      {count === 0 && <p class="quiet">The recording has answered every request.</p>}
      {misses.length > 0 && (
        <table class="stacked">
          <Head columns={['Request', 'Why nothing answers it', 'Times', 'Latest']} />
          <tbody>
            {misses.map((miss) => {
              const id = exchangeOf(miss, exchanges);
              return (
                <tr key={`${miss.session} ${miss.text}`}>
                  <th scope="row">
                    {miss.method} {sanitize(miss.url)}
                    {miss.session !== '' && <span class="quiet"> in session {miss.session}</span>}
                  </th>
                  <td data-label="Why">
                    {sanitize(miss.text)}
                    {miss.hint && (
                      <p class="quiet">
                        <WithOptions text={miss.hint} />
                      </p>
                    )}
                  </td>
                  <td data-label="Times" class="digits">
                    {miss.count}
                  </td>
                  <td data-label="Latest">
                    {id === undefined ? (
                      <span class="quiet">no longer listed</span>
                    ) : (
                      <a href={hrefOf(['exchanges', id])}>Exchange {id}</a>
                    )}
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      )}
    </>
  );
}

function NeverServed({ total, count, exchanges }: Unserved) {
  return (
    <>
      <h2>
        Never served ({grouped(count)} of {grouped(total)})
      </h2>
      {count === 0 && <p class="quiet">Every recorded exchange was served.</p>}
      {exchanges.length > 0 && (
        <table class="stacked">
          <Head columns={['Recorded exchange', 'Which of the same', 'Session', 'Recorded']} />
          <tbody>
            {exchanges.map(({ method, path, query, index, recordedAt, session, place, reason }) => (
              <tr key={`${method} ${path} ${index}`}>
                <th scope="row">
                  {method} {sanitize(path)}
                  {query && `?${sanitize(query)}`}
                  {reason && <p class="note">It can never be served: {reason}</p>}
                </th>
                <td data-label="Which of the same">{place ?? 'recorded once'}</td>
                <td data-label="Session">{session ?? 'default session'}</td>
                <td data-label="Recorded">
                  <Moment at={recordedAt} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {count > exchanges.length && <p class="note">The first {exchanges.length} are listed.</p>}
    </>
  );
}
