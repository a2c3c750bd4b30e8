import { useEffect, useRef, useState } from 'preact/hooks';
import type { Finding } from '../model/finding.ts';
import { sanitize } from '../reporters/wording.ts';
import type { ShownBody, ShownExchange } from '../server/show-exchange.ts';
import { get, post } from './api.ts';
import { Body } from './body.tsx';
import {
  type Draft,
  draftOf,
  EMPTY,
  fieldOf,
  type Judged,
  markedParts,
  offsetOf,
  readHeaders,
  requestOf,
  summaryOf,
} from './draft.ts';
import { Effects } from './effects.tsx';
import { Headers } from './exchange.tsx';
import { SeverityWord } from './exchange-words.tsx';
import { useLive } from './live.ts';
import { Field, Problem, problemText } from './parts.tsx';
import { hrefOf, type Route } from './router.ts';

interface Sent {
  status: number;
  headers: Record<string, string | string[]>;
  body?: ShownBody;
  exchange?: number;
}

/** Milliseconds without a key before a dry run. */
const TYPING_PAUSE = 300;

/** What is written outlives a look at another view. */
let kept: { draft: Draft; from: string | null; notes: readonly string[] } = {
  draft: EMPTY,
  from: null,
  notes: [],
};

export function Send({ route }: { route: Route }) {
  const from = route.query.get('exchange');
  const [{ draft, notes }, setState] = useState(kept);
  const [error, setError] = useState<Error>();
  const keep = (next: typeof kept) => {
    kept = next;
    setState(next);
  };
  useEffect(() => {
    if (from === null || from === kept.from) return;
    const ending = new AbortController();
    get<ShownExchange>(`exchanges/${encodeURIComponent(from)}`, ending.signal).then(
      (exchange) => {
        setError(undefined);
        keep({ ...draftOf(exchange), from });
      },
      (thrown: Error) => {
        if (!ending.signal.aborted) setError(thrown);
      },
    );
    return () => ending.abort();
  }, [from]);
  const change = (changes: Partial<Draft>) => keep({ ...kept, draft: { ...kept.draft, ...changes } });
  return (
    <>
      <h1>Send</h1>
      <p class="quiet">
        The request goes through the gate, which judges, guards and records it as any other.
      </p>
      <Problem error={error} />
      <div role="status">
        {kept.from !== null && (
          <p>
            From <a href={hrefOf(['exchanges', kept.from])}>exchange {kept.from}</a>.
          </p>
        )}
        {notes.map((note) => (
          <p key={note} class="note">
            {note}
          </p>
        ))}
      </div>
      <Editor draft={draft} change={change} />
    </>
  );
}

interface EditorProps {
  draft: Draft;
  change: (changes: Partial<Draft>) => void;
}

function Editor({ draft, change }: EditorProps) {
  const { judged, error } = useDryRun(draft);
  const [sent, setSent] = useState<Sent>();
  const [refused, setRefused] = useState<Error>();
  const [isSending, setSending] = useState(false);
  const { wrong } = readHeaders(draft.headers);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    setSending(true);
    setSent(undefined);
    setRefused(undefined);
    await post<Sent>('send', requestOf(draft)).then(setSent, setRefused);
    setSending(false);
  };
  const failed = refused ?? error;
  const at = failed && fieldOf(failed.message);
  const errorAt = (field: keyof Draft) => (failed && at === field ? problemText(failed) : undefined);
  return (
    <>
      <form onSubmit={submit} class="editor">
        <div class="request-line">
          <Field label="Method" error={errorAt('method')}>
            {(field) => (
              <>
                <input
                  {...field}
                  class="method-field"
                  list="methods"
                  autocapitalize="characters"
                  spellcheck={false}
                  value={draft.method}
                  onInput={({ currentTarget }) => change({ method: currentTarget.value })}
                />
                <datalist id="methods">
                  {['PATCH', 'GET', 'POST', 'PUT', 'DELETE'].map((method) => (
                    <option key={method} value={method} />
                  ))}
                </datalist>
              </>
            )}
          </Field>
          <Field label="URL" error={errorAt('url')}>
            {(field) => (
              <input
                {...field}
                class="mono"
                placeholder="/api/v2/accounts/current/projects/42"
                autocapitalize="off"
                spellcheck={false}
                value={draft.url}
                onInput={({ currentTarget }) => change({ url: currentTarget.value })}
              />
            )}
          </Field>
        </div>
        <Field label="Headers, one a line" hint="Name: value" error={wrong ?? errorAt('headers')}>
          {(field) => (
            <textarea
              {...field}
              class="mono"
              rows={Math.max(2, draft.headers.split('\n').length)}
              autocapitalize="off"
              spellcheck={false}
              value={draft.headers}
              onInput={({ currentTarget }) => change({ headers: currentTarget.value })}
            />
          )}
        </Field>
        <BodyField draft={draft} change={change} judged={judged} error={errorAt('body')} />
        {at === undefined && <Problem error={failed} />}
        <p class="buttons">
          <button type="submit" disabled={isSending || draft.url === '' || wrong !== undefined}>
            {isSending ? 'Sending…' : 'Send'}
          </button>
        </p>
      </form>
      <Answer sent={sent} />
    </>
  );
}

interface BodyProps extends EditorProps {
  judged: Judged | undefined;
  error: string | undefined;
}

/** The findings stand under the body's text, and in a list that leads to their places. */
function BodyField({ draft: { body }, change, judged, error }: BodyProps) {
  const area = useRef<HTMLTextAreaElement>(null);
  const goTo = ({ line = 1, column = 1 }: Finding) => {
    const at = offsetOf(body, line, column);
    area.current?.focus();
    area.current?.setSelectionRange(at, at);
  };
  return (
    <>
      <Field label="Body" error={error}>
        {(field) => (
          <div class="body-field mono">
            {/* The same text in the same places: it makes the field as high as its text, and has the marks. */}
            <div aria-hidden="true">
              {markedParts(body, judged?.findings ?? []).map(({ text, severity, at }) =>
                severity ? (
                  <mark key={at} data-severity={severity}>
                    {text}
                  </mark>
                ) : (
                  text
                ),
              )}
              {'\n '}
            </div>
            <textarea
              {...field}
              aria-describedby={['dry-run', field['aria-describedby']].filter(Boolean).join(' ')}
              ref={area}
              autocapitalize="off"
              spellcheck={false}
              value={body}
              onInput={({ currentTarget }) => change({ body: currentTarget.value })}
            />
          </div>
        )}
      </Field>
      <DryRun judged={judged} goTo={goTo} />
    </>
  );
}

/** What the gate would say. Announced as it changes, in short. */
function DryRun({ judged, goTo }: { judged: Judged | undefined; goTo: (finding: Finding) => void }) {
  const { findings = [], omitted = 0, effects = [], effectsOmitted } = judged ?? {};
  return (
    <section aria-label="Dry run" class="dry-run">
      <p role="status" id="dry-run">
        {judged ? summaryOf(judged) : ''}
      </p>
      {effects.length > 0 && <Effects effects={effects} omitted={effectsOmitted} />}
      {findings.length > 0 && (
        <ul class="found">
          {findings.map((finding, index) => (
            <li key={index} data-severity={finding.severity}>
              <SeverityWord severity={finding.severity} />{' '}
              {finding.line !== undefined && (
                <button type="button" onClick={() => goTo(finding)}>
                  line {finding.line}
                  <span class="unseen">, column {finding.column}: go to it</span>
                </button>
              )}{' '}
              <code>{finding.rule}</code> {sanitize(finding.message)}
              {finding.hint && <p class="quiet">{sanitize(finding.hint)}</p>}
            </li>
          ))}
        </ul>
      )}
      {omitted > 0 && <p class="note">and {omitted} more</p>}
    </section>
  );
}

/** Asks after a pause in the typing; what comes too late is not shown. */
function useDryRun(draft: Draft): { judged?: Judged; error?: Error } {
  const [state, setState] = useState<{ judged?: Judged; error?: Error }>({});
  useEffect(() => {
    const { wrong } = readHeaders(draft.headers);
    if (draft.url.trim() === '' || wrong !== undefined) return setState({});
    const ending = new AbortController();
    const ask = () =>
      post<Judged>('validate', requestOf(draft), ending.signal).then(
        (judged) => setState({ judged }),
        (error: Error) => {
          if (!ending.signal.aborted) setState({ error });
        },
      );
    const timer = setTimeout(ask, TYPING_PAUSE);
    return () => {
      clearTimeout(timer);
      ending.abort();
    };
  }, [draft.method, draft.url, draft.headers, draft.body]);
  return state;
}

function Answer({ sent }: { sent: Sent | undefined }) {
  const { approvals } = useLive();
  const approval = sent && approvalIn(sent);
  const isKnown = approvals.some(({ id }) => id === approval);
  return (
    <section aria-label="Answer" class="answer">
      <p role="status">{sent && `Answered with ${sent.status}`}</p>
      {sent && (
        <>
          <p class="about">
            {sent.exchange !== undefined && (
              <a href={hrefOf(['exchanges', sent.exchange])}>Exchange {sent.exchange}</a>
            )}
            {isKnown && <a href={hrefOf(['approvals', approval as string])}>Approval {approval}</a>}
          </p>
          <Headers headers={sent.headers} of="Response" />
          <Body body={sent.body} />
        </>
      )}
    </section>
  );
}

function approvalIn({ body }: Sent): string | undefined {
  const json = body && 'json' in body ? body.json : undefined;
  const { approval } = Object(json) as { approval?: unknown };
  return typeof approval === 'string' ? approval : undefined;
}
