import { useEffect, useRef, useState } from 'preact/hooks';
import { isObject, type JsonObject, type JsonValue, member } from '../json/json.ts';
import type { Finding } from '../model/finding.ts';
import { ignoringOption } from '../recordings/matching/ignoring-option.ts';
import { amount, sanitize } from '../reporters/wording.ts';
import type { ShownBody, ShownExchange } from '../server/show-exchange.ts';
import { Body, type Mark } from './body.tsx';
import { compareDocuments, type Row } from './compare.ts';
import { type Copy, curlOf, harOf, headerPairs } from './copies.ts';
import { Effects } from './effects.tsx';
import { SeverityWord, tookText, VerdictWord } from './exchange-words.tsx';
import { listHref } from './exchanges.tsx';
import { useLive } from './live.ts';
import { type Miss, missOf, recordedBody } from './miss.ts';
import { type Fact, Facts, Head, Moment, Problem, useLoaded, WithOptions } from './parts.tsx';
import { knownRecord } from './record-words.ts';
import { hrefOf, type Route } from './router.ts';

export function ExchangePage({ route }: { route: Route }) {
  const id = route.path[1] ?? '';
  const { data: exchange, error } = useLoaded<ShownExchange>(`exchanges/${encodeURIComponent(id)}`);
  return (
    <div class="exchange">
      <Neighbours id={id} />
      <h1>Exchange {sanitize(id)}</h1>
      <Problem error={error} />
      {exchange && <Whole exchange={exchange} finding={route.query.get('finding')} />}
    </div>
  );
}

/** The next ones in the list. */
function Neighbours({ id }: { id: string }) {
  const { exchanges } = useLive();
  const at = exchanges.findIndex((one) => String(one.id) === id);
  const [newer, older] = at < 0 ? [] : [exchanges[at - 1], exchanges[at + 1]];
  return (
    <nav aria-label="Exchanges" class="neighbours">
      <a href={listHref()}>All exchanges</a>
      {newer && <a href={hrefOf(['exchanges', newer.id])}>Newer: {newer.id}</a>}
      {older && <a href={hrefOf(['exchanges', older.id])}>Older: {older.id}</a>}
    </nav>
  );
}

function Whole({ exchange, finding }: { exchange: ShownExchange; finding: string | null }) {
  const { request, response, verdict } = exchange;
  const { findings = [], effects = [] } = verdict ?? {};
  const miss = missOf(exchange);
  const known = useKnown(exchange);
  const isDone = verdict?.outcome === 'pass' && (response?.status ?? 500) < 400;
  const place = useRef<string | null>(null);
  useEffect(() => {
    if (finding !== null && place.current !== finding) show(finding);
    place.current = finding;
  }, [finding]);
  const marks = [...marksOf(findings), ...(miss ? marksOfMiss(miss) : [])];
  return (
    <>
      <p class="target">
        <span class="method">{request.method}</span> {sanitize(request.url)}
      </p>
      <ExchangeFacts exchange={exchange} />
      <Actions exchange={exchange} />
      {findings.length > 0 && <Findings exchange={exchange} />}
      {effects.length > 0 && (
        <section aria-labelledby="effects">
          <h2 id="effects">{isDone ? 'What it does' : 'What it would have done'}</h2>
          <Effects effects={effects} omitted={verdict?.effectsOmitted} />
        </section>
      )}
      {miss && <MissSection miss={miss} exchange={exchange} />}
      {known !== undefined && <SideBySide exchange={exchange} known={known} />}
      <div class="messages">
        <section aria-labelledby="request">
          <h2 id="request">Request</h2>
          <Body body={request.body} marks={marks} />
          <Headers headers={request.headers} of="Request" />
        </section>
        <section aria-labelledby="response">
          <h2 id="response">Response</h2>
          {response ? (
            <>
              <Body body={response.body} />
              <Headers headers={response.headers} of="Response" />
            </>
          ) : (
            <p>There was none: the client went away before.</p>
          )}
        </section>
      </div>
    </>
  );
}

function ExchangeFacts({ exchange }: { exchange: ShownExchange }) {
  const { response, verdict, answeredBy, startedAt, durationMs, session, failure, fault } = exchange;
  const facts: Fact[] = [
    ['Verdict', <VerdictWord key="" exchange={exchange} />],
    ['Status', response?.status ?? 'none'],
    ['Operation', verdict?.operation],
    ['Answered by', answeredBy],
    ['Started', <Moment key="" at={startedAt} />],
    ['Took', tookText(durationMs)],
    ['Session', session],
    ['Failure', missOf(exchange) ? undefined : failure],
    ['Fault', fault],
  ];
  return <Facts facts={facts} isRow />;
}

const COPIES: readonly [name: string, copy: (exchange: ShownExchange, gateUrl: string) => Copy][] = [
  ['curl', curlOf],
  ['HAR', harOf],
];

function Actions({ exchange }: { exchange: ShownExchange }) {
  const { approvals } = useLive();
  const { data: gate } = useLoaded<{ url: string }>('health');
  const [said, setSaid] = useState('');
  const [byHand, setByHand] = useState<string>();
  const approval = approvals.find((one) => one.exchange === exchange.id);
  const copy = async (name: string, { text, notes }: Copy) => {
    const isCopied = await writeToClipboard(text);
    setByHand(isCopied ? undefined : text);
    setSaid([isCopied ? `Copied as ${name}.` : `Copy the ${name} from this field.`, ...notes].join(' '));
  };
  return (
    <>
      <div class="bar">
        {COPIES.map(([name, of]) => (
          <button
            key={name}
            type="button"
            disabled={!gate}
            onClick={() => gate && void copy(name, of(exchange, gate.url))}
          >
            Copy as {name}
          </button>
        ))}
        {approval && <a href={hrefOf(['approvals', approval.id])}>Approval: {approval.status}</a>}
      </div>
      <p role="status" class="said">
        {said}
      </p>
      {byHand !== undefined && <textarea aria-label="Text to copy" readOnly rows={8} value={byHand} />}
    </>
  );
}

/** @returns false where the browser does not let the page */
async function writeToClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

const markId = (number: number | string) => `finding-${number}`;

function show(number: string): void {
  const mark = document.getElementById(markId(number)) ?? document.getElementById('findings');
  mark?.focus({ preventScroll: true });
  mark?.scrollIntoView({ block: 'center' });
}

/** Whether it is about a place in the body. */
function isInBody({ pointer, line }: Finding): boolean {
  return pointer !== '' || line !== undefined;
}

function Findings({ exchange: { id, request, verdict } }: { exchange: ShownExchange }) {
  const { findings = [], omitted = 0 } = verdict ?? {};
  return (
    <section aria-labelledby="findings">
      <h2 id="findings" tabIndex={-1}>
        {amount(findings.length + omitted, 'finding')}
      </h2>
      <ol class="findings">
        {findings.map((finding, i) => {
          const number = String(i + 1);
          const href = hrefOf(['exchanges', id], { finding: number });
          return (
            <li key={number}>
              <SeverityWord severity={finding.severity} />{' '}
              {request.body && isInBody(finding) ? (
                <a href={href} onClick={() => show(number)}>
                  {sanitize(finding.message)}
                </a>
              ) : (
                sanitize(finding.message)
              )}
              {finding.hint && <span>. Hint: {sanitize(finding.hint)}</span>}
              <Basis finding={finding} />
            </li>
          );
        })}
      </ol>
      {omitted > 0 && <p>and {omitted} more</p>}
    </section>
  );
}

function Basis({ finding: { rule, pointer, basis, source } }: { finding: Finding }) {
  const said = [rule, pointer && `at ${pointer}`, basis, source].filter(Boolean);
  return <div class="quiet">{sanitize(said.join(', '))}</div>;
}

function marksOf(findings: readonly Finding[]): Mark[] {
  return findings.flatMap((finding, i) => {
    if (!isInBody(finding)) return [];
    const { pointer, line, column, severity, rule, message, hint } = finding;
    const text = (
      <>
        <SeverityWord severity={severity} /> <span class="said">{sanitize(message)}</span>
        {hint && <div class="said">Hint: {sanitize(hint)}</div>}
        <div class="quiet">{rule}</div>
      </>
    );
    return { id: markId(i + 1), pointer, line, column, tone: severity === 'error' ? 'bad' : 'warn', text };
  });
}

function marksOfMiss({ nearest }: Miss): Mark[] {
  const inBody = nearest?.differences?.filter(({ place }) => place.startsWith('/')) ?? [];
  return inBody.map(({ place, recorded }) => {
    const text = recorded === undefined ? 'Not in the recorded request' : `Recorded: ${sanitize(recorded)}`;
    return {
      id: `difference-${place}`,
      pointer: place,
      tone: 'warn',
      text: <span class="said">{text}</span>,
    };
  });
}

export function Headers({ headers, of }: { headers: ShownExchange['request']['headers']; of: string }) {
  const pairs = headerPairs(headers);
  return (
    <details>
      <summary>{amount(pairs.length, 'header')}</summary>
      <table class="headers">
        <caption class="unseen">{of} headers</caption>
        <thead class="unseen">
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Value</th>
          </tr>
        </thead>
        <tbody>
          {pairs.map(([name, value], i) => (
            <tr key={i}>
              <th scope="row">{sanitize(name)}</th>
              <td>{sanitize(value)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

/** What is known of the record by now; `null` where nothing is, undefined until that is clear. */
function useKnown({ request: { url }, verdict }: ShownExchange): JsonObject | null | undefined {
  const { hasState } = useLive();
  const { data, error } = useLoaded<JsonObject>(verdict && hasState ? 'state' : undefined);
  if (error || hasState === false) return null;
  return data && (knownRecord(data, url) ?? null);
}

const jsonIn = (body: ShownBody | undefined): JsonValue | undefined =>
  body && 'json' in body ? body.json : undefined;

function SideBySide({ exchange, known }: { exchange: ShownExchange; known: JsonObject | null }) {
  const { request, response, verdict } = exchange;
  const sent = jsonIn(request.body);
  const corrected = verdict?.outcome === 'block' ? member(jsonIn(response?.body), 'corrected') : undefined;
  const documents = [
    ...(known ? [['Known now', known] as const] : []),
    ...(isObject(sent) ? [['Sent', sent] as const] : []),
    ...(corrected !== undefined ? [['Corrected', corrected] as const] : []),
  ];
  if (documents.length < 2) return null;
  const names = documents.map(([name]) => name);
  return (
    <section>
      <h2>{listText(names)}</h2>
      {known?.incomplete === true && <p>Not all of this record is known: the service may hold more.</p>}
      <Comparison names={names} documents={documents.map(([, document]) => document)} />
    </section>
  );
}

/** `Known now, sent and corrected` */
function listText(names: readonly string[]): string {
  const words = names.map((name, i) => (i === 0 ? name : name.toLowerCase()));
  return `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

/** What a document has otherwise than the first one. */
const SIGNS = {
  added: ['+', 'added: ', 'good'],
  missing: ['-', 'left out', 'bad'],
  changed: ['~', 'changed: ', 'warn'],
} as const;

function Comparison({ names, documents }: { names: readonly string[]; documents: readonly JsonValue[] }) {
  const rows = compareDocuments(documents);
  const differing = rows.filter(({ differs }) => differs).length;
  return (
    <>
      <p class="quiet">
        {differing === 0
          ? 'No differences.'
          : `${amount(differing, 'line')} ${differing === 1 ? 'differs' : 'differ'}.`}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls by the keyboard */}
      <section class="scrolls" aria-label={listText(names)} tabIndex={0}>
        <table class="comparison">
          <Head columns={names} />
          <tbody>
            {rows.map((row, i) => (
              <tr key={i} class={row.differs ? 'differs' : undefined}>
                {row.cells.map((cell, j) => (
                  <Cell key={j} row={row} cell={cell} isFirst={j === 0} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </>
  );
}

function Cell({ row, cell, isFirst }: { row: Row; cell: string | undefined; isFirst: boolean }) {
  const [first] = row.cells;
  const kind =
    isFirst || cell === first
      ? undefined
      : first === undefined
        ? 'added'
        : cell === undefined
          ? 'missing'
          : 'changed';
  const [sign, word, tone] = kind ? SIGNS[kind] : [' ', '', ''];
  return (
    <td class={`cell ${tone}`}>
      <span class="sign" aria-hidden="true">
        {sign}
      </span>
      <span class="unseen">{word}</span>
      {cell !== undefined && '  '.repeat(row.depth) + cell}
    </td>
  );
}

function MissSection({ miss, exchange }: { miss: Miss; exchange: ShownExchange }) {
  const { detail, hint, nearest } = miss;
  const { differences, omitted = 0 } = nearest ?? {};
  const sent = jsonIn(exchange.request.body);
  const recorded =
    sent !== undefined && differences && omitted === 0 ? recordedBody(sent, differences) : undefined;
  return (
    <section aria-labelledby="miss">
      <h2 id="miss">Nothing in the recording answers it</h2>
      {!differences && <p>{sanitize(detail)}</p>}
      {nearest && (
        <p>
          The nearest exchange: {nearest.method} {sanitize(nearest.path)}
          {nearest.query && sanitize(`?${nearest.query}`)}
          {nearest.recordedAt && (
            <>
              , recorded <Moment at={nearest.recordedAt} />
            </>
          )}
        </p>
      )}
      {differences && differences.length > 0 && (
        <table class="stacked differences">
          <caption class="unseen">Where it differs from the nearest exchange</caption>
          <Head columns={['Place', 'Recorded', 'Sent', 'Would be ignored with']} />
          <tbody>
            {differences.map(({ place, recorded, sent }) => (
              <tr key={place}>
                <th scope="row">{sanitize(place)}</th>
                <td data-label="Recorded">
                  {recorded === undefined ? <em>nothing</em> : sanitize(recorded)}
                </td>
                <td data-label="Sent">{sent === undefined ? <em>nothing</em> : sanitize(sent)}</td>
                <td data-label="Would be ignored with">
                  <Ignoring place={place} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {omitted > 0 && <p>and {omitted} more</p>}
      {hint && (
        <p>
          Hint: <WithOptions text={hint} />
        </p>
      )}
      {recorded !== undefined && sent !== undefined && (
        <>
          <h3>Recorded and sent</h3>
          <Comparison names={['Recorded', 'Sent']} documents={[recorded, sent]} />
        </>
      )}
    </section>
  );
}

function Ignoring({ place }: { place: string }) {
  const option = ignoringOption(place);
  return option === undefined ? <em>no option</em> : <WithOptions text={option} />;
}
