import { useEffect, useState } from 'preact/hooks';
import { del, put } from './api.ts';
import { bodyOf, draftOf, type FaultDraft, fieldOf, type ShownFaults, withLines } from './fault-draft.ts';
import { Done, Field, Head, Problem, problemText, useLoaded, useOnTraffic } from './parts.tsx';
import type { Route } from './router.ts';

export function Faults(_: { route: Route }) {
  const { data, error, reload } = useLoaded<ShownFaults>('faults');
  useOnTraffic(reload);
  const [draft, setDraft] = useState<FaultDraft>();
  const [wrong, setWrong] = useState<Error>();
  const [done, setDone] = useState('');
  // What is being written is not written over by what holds.
  useEffect(() => {
    if (data) setDraft((before) => before ?? draftOf(data));
  }, [data]);
  const change = (changes: Partial<FaultDraft>) => setDraft((before) => before && { ...before, ...changes });
  const given = (wanted: Promise<ShownFaults>, text: string) =>
    wanted.then(
      (now) => {
        setDraft(draftOf(now));
        setWrong(undefined);
        setDone(text);
        reload();
      },
      (thrown: Error) => {
        setWrong(thrown);
        setDone('');
      },
    );
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (draft) void given(put<ShownFaults>('faults', bodyOf(draft)), 'The faults hold from now on');
  };
  const at = wrong && fieldOf(wrong.message);
  const errorAt = (field: keyof FaultDraft) =>
    wrong && at === field ? withLines(problemText(wrong), draft?.faults ?? '') : undefined;
  return (
    <>
      <h1>Faults</h1>
      <Problem error={error} />
      {data && <Holding {...data} />}
      <h2>{data?.faults.length ? 'Set others' : 'Set faults'}</h2>
      {draft && (
        <form onSubmit={submit} class="editor">
          <Field
            label="Faults, one a line"
            hint="PATCH /accounts/** status=503 retry-after=2 count=2 · GET reset rate=0.1 · updateProject latency=2s. Headers and bodies of faults that a program has set are not shown, and go when faults are set here."
            error={errorAt('faults')}
          >
            {(field) => (
              <textarea
                {...field}
                class="mono"
                rows={Math.max(4, draft.faults.split('\n').length + 1)}
                spellcheck={false}
                value={draft.faults}
                onInput={({ currentTarget }) => change({ faults: currentTarget.value })}
              />
            )}
          </Field>
          <div class="fields">
            <Field
              label="Latency of all other answers"
              hint="100ms, 50ms..200ms, recorded"
              error={errorAt('latency')}
            >
              {(field) => (
                <input
                  {...field}
                  value={draft.latency}
                  onInput={({ currentTarget }) => change({ latency: currentTarget.value })}
                />
              )}
            </Field>
            <Field label="Seed" hint="Repeats what rates and ranges draw" error={errorAt('seed')}>
              {(field) => (
                <input
                  {...field}
                  inputMode="numeric"
                  value={draft.seed}
                  onInput={({ currentTarget }) => change({ seed: currentTarget.value })}
                />
              )}
            </Field>
          </div>
          {at === undefined && <Problem error={wrong} />}
          <p class="buttons">
            <button type="submit">Set</button>
            <button
              type="button"
              onClick={() => void given(del<ShownFaults>('faults'), 'There are no faults any more')}
            >
              Clear all
            </button>
          </p>
        </form>
      )}
      <Done text={done} />
    </>
  );
}

function Holding({ faults, latency, seed }: ShownFaults) {
  if (faults.length === 0 && latency === undefined) return <p>There are none: nothing fails on purpose.</p>;
  return (
    <>
      {faults.length > 0 && (
        <table class="stacked">
          <caption class="unseen">Faults that hold for all sessions</caption>
          <Head columns={['Fault', 'Requests it fits', 'Happened']} />
          <tbody>
            {faults.map(({ fault, matched, applied }, index) => (
              <tr key={index}>
                <th scope="row">
                  <code>{fault}</code>
                </th>
                <td data-label="Requests it fits" class="digits">
                  {matched}
                </td>
                <td data-label="Happened" class="digits">
                  {applied}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <p class="quiet">
        {latency !== undefined && `Latency ${latency}. `}
        Seed {seed}.
      </p>
    </>
  );
}
