import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { amount, sanitize } from '../reporters/wording.ts';
import type { ShownExchange } from '../server/show-exchange.ts';
import {
  choicesOf,
  DEFAULT_SESSION,
  type ExchangeFilter,
  FILTER_NAMES,
  filterOf,
  isWanted,
  NOT_JUDGED,
} from './exchange-filter.ts';
import { summaryOf, timeOf, tookText, VerdictWord } from './exchange-words.tsx';
import { useLive } from './live.ts';
import { hrefOf, type Route, setQuery } from './router.ts';
import { type Rows, useVisibleRows } from './visible-rows.ts';

/** Milliseconds between two announcements, at least. */
const ANNOUNCE_PAUSE = 10_000;

let lastQuery: Readonly<Record<string, string>> = {};

/** Leads back to the list, with its filter. */
export const listHref = (): string => hrefOf([], lastQuery);

export function Exchanges({ route }: { route: Route }) {
  const live = useLive();
  const filter = useMemo(() => filterOf(route.query), [route]);
  lastQuery = filter;
  const [isPaused, setPaused] = useState(false);
  const table = useRef<HTMLTableElement>(null);
  const isRead = useReading(table);
  const isHeld = isPaused || isRead;
  const kept = useHeld(live.exchanges, isHeld);
  const shown = useMemo(() => kept.filter((one) => isWanted(one, filter)), [kept, filter]);
  const waiting = useMemo(() => {
    const known = new Set(kept);
    return live.exchanges.filter((one) => !known.has(one) && isWanted(one, filter)).length;
  }, [live.exchanges, kept, filter]);
  const isFiltered = FILTER_NAMES.some((name) => filter[name] !== '');

  const goOn = () => {
    setPaused(false);
    getSelection()?.removeAllRanges();
    if ((table.current?.getBoundingClientRect().top ?? 0) < 0) scrollTo({ top: 0 });
  };
  return (
    <>
      <h1>Exchanges</h1>
      <Filters filter={filter} exchanges={live.exchanges} isFiltered={isFiltered} />
      <div class="bar">
        <button type="button" onClick={() => (isHeld ? goOn() : setPaused(true))}>
          {isHeld ? 'Go on' : 'Pause'}
        </button>
        <span>
          {isFiltered
            ? `${shown.length} of ${amount(kept.length, 'exchange')}`
            : amount(kept.length, 'exchange')}
          {isHeld && <strong>{` · ${isPaused ? 'paused' : 'held while you read'}, ${waiting} new`}</strong>}
        </span>
        <Announcer exchanges={live.exchanges} filter={filter} isHeld={isHeld} />
      </div>
      {shown.length === 0 ? (
        <Nothing isFiltered={isFiltered} connection={live.connection} />
      ) : (
        <Table table={table} exchanges={shown} />
      )}
    </>
  );
}

function Nothing({ isFiltered, connection }: { isFiltered: boolean; connection: string }) {
  if (isFiltered) return <p>No exchange matches this filter.</p>;
  if (connection === 'connecting') return <p>Connecting …</p>;
  return <p>There is no exchange yet. Requests through the gate show up here.</p>;
}

/** The list as it is, or as it was when somebody began to read it. */
function useHeld(exchanges: readonly ShownExchange[], isHeld: boolean): readonly ShownExchange[] {
  const held = useRef(exchanges);
  const newest = held.current[0];
  // Another run counts from 1 again.
  const isOther = newest !== undefined && (exchanges[0]?.startedAt ?? newest.startedAt) < newest.startedAt;
  if (!isHeld || newest === undefined || isOther) held.current = exchanges;
  return held.current;
}

/** Milliseconds for which a pointer that has moved holds the list: one can aim at a row. */
const POINTING = 2000;

/** Whether somebody reads the list: it has the focus, a part of it is selected, it is scrolled, or the pointer moves on it. */
function useReading(table: { readonly current: HTMLTableElement | null }): boolean {
  const [isRead, setRead] = useState(false);
  useEffect(() => {
    let pointedAt = Number.NEGATIVE_INFINITY;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = () => {
      const list = table.current;
      if (!list) return setRead(false);
      const selection = getSelection();
      const rest = pointedAt + POINTING - performance.now();
      clearTimeout(timer);
      if (rest > 0) timer = setTimeout(look, rest + 1);
      setRead(
        rest > 0 ||
          list.contains(document.activeElement) ||
          list.getBoundingClientRect().top < -1 ||
          (selection !== null && !selection.isCollapsed && selection.containsNode(list, true)),
      );
    };
    const point = (event: Event) => {
      if (!table.current?.contains(event.target as Node)) return;
      pointedAt = performance.now();
      look();
    };
    // Where the focus goes to is known when it is there.
    const lookSoon = () => setTimeout(look);
    const ending = new AbortController();
    const { signal } = ending;
    for (const name of ['pointermove', 'pointerdown'])
      document.addEventListener(name, point, { signal, passive: true });
    for (const name of ['focusin', 'focusout', 'selectionchange'])
      document.addEventListener(name, lookSoon, { signal });
    window.addEventListener('scroll', look, { signal, passive: true });
    return () => {
      ending.abort();
      clearTimeout(timer);
    };
  }, [table]);
  return isRead;
}

/** Says how many there were, and not each. */
function Announcer(now: { exchanges: readonly ShownExchange[]; filter: ExchangeFilter; isHeld: boolean }) {
  const [text, setText] = useState('');
  const current = useRef(now);
  current.current = now;
  useEffect(() => {
    let said: ReadonlySet<ShownExchange> | undefined;
    const timer = setInterval(() => {
      const { exchanges, filter, isHeld } = current.current;
      const fresh = exchanges.filter((one) => !said?.has(one) && isWanted(one, filter)).length;
      if (said && fresh > 0) setText(`${amount(fresh, 'new exchange')}${isHeld ? ', not shown yet' : ''}`);
      said = new Set(exchanges);
    }, ANNOUNCE_PAUSE);
    return () => clearInterval(timer);
  }, []);
  return (
    <span role="status" class="unseen">
      {text}
    </span>
  );
}

function Filters({
  filter,
  exchanges,
  isFiltered,
}: {
  filter: ExchangeFilter;
  exchanges: readonly ShownExchange[];
  isFiltered: boolean;
}) {
  const choices = choicesOf(exchanges, filter);
  const isWide = useMemo(() => matchMedia('(min-width: 40rem)').matches, []);
  const set = (name: keyof ExchangeFilter) => (event: Event) =>
    setQuery({ [name]: (event.currentTarget as HTMLInputElement).value });
  const select = (name: keyof ExchangeFilter, label: string, options: (readonly [string, string])[]) => (
    <label>
      <span>{label}</span>
      <select value={filter[name]} onChange={set(name)}>
        <option value="">any</option>
        {options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
  const asIs = (values: readonly string[]) => values.map((value) => [value, sanitize(value)] as const);
  const input = (name: 'path' | 'text', label: string) => (
    <label>
      <span>{label}</span>
      <input type="search" value={filter[name]} onInput={set(name)} spellcheck={false} />
    </label>
  );
  const used = FILTER_NAMES.filter((name) => filter[name] !== '').length;
  return (
    <details class="filters" open={isWide}>
      <summary>Filter{used > 0 && ` (${used} in use)`}</summary>
      <search>
        {select('verdict', 'Verdict', [
          ['block', 'blocked'],
          ['pass', 'passed'],
          ['passed-error', 'passed, enforce would block'],
          ['missed', 'missed'],
          [NOT_JUDGED, 'not judged'],
        ])}
        {select('rule', 'Rule', asIs(choices.rule))}
        {select('operation', 'Operation', asIs(choices.operation))}
        {select('method', 'Method', asIs(choices.method))}
        {input('path', 'Path')}
        {select(
          'session',
          'Session',
          choices.session.map((name) => [
            name,
            name === DEFAULT_SESSION ? 'the default one' : sanitize(name),
          ]),
        )}
        {input('text', 'Text')}
        <button
          type="button"
          disabled={!isFiltered}
          onClick={() => setQuery(Object.fromEntries(FILTER_NAMES.map((name) => [name, undefined])))}
        >
          Clear
        </button>
      </search>
    </details>
  );
}

const COLUMNS = ['No.', 'Time', 'Request', 'Status', 'Verdict', 'Details', 'By', 'Took', 'Session'];

function Table({
  table,
  exchanges,
}: {
  table: { current: HTMLTableElement | null };
  exchanges: readonly ShownExchange[];
}) {
  const rows = useVisibleRows(table, exchanges.length);
  return (
    <table class="exchanges" ref={table} aria-rowcount={exchanges.length + 1}>
      <caption class="unseen">Exchanges, the newest first</caption>
      <thead>
        <tr aria-rowindex={1}>
          {COLUMNS.map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        <Spacer key="above" height={rows.above} />
        {exchanges.slice(rows.first, rows.end).map((exchange, i) => (
          <Exchange key={exchange.id} exchange={exchange} index={rows.first + i} />
        ))}
        <Spacer key="below" height={rows.below} />
      </tbody>
    </table>
  );
}

/** Stands for rows that are not in view. */
function Spacer({ height }: { height: Rows['above'] }) {
  const row = useRef<HTMLTableRowElement>(null);
  useLayoutEffect(() => {
    if (row.current) row.current.style.height = `${height}px`;
  }, [height]);
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: a row is not focusable
    <tr class="spacer" ref={row} aria-hidden="true" hidden={height === 0}>
      <td colSpan={COLUMNS.length} />
    </tr>
  );
}

function Exchange({ exchange, index }: { exchange: ShownExchange; index: number }) {
  const { id, startedAt, durationMs, request, response, answeredBy, session } = exchange;
  const [path = '', query] = request.url.split(/(?=\?)/s);
  return (
    <tr aria-rowindex={index + 2} data-index={index}>
      <th scope="row">{id}</th>
      <td>
        <time dateTime={startedAt} title={startedAt}>
          {timeOf(startedAt)}
        </time>
      </td>
      <td>
        <a href={hrefOf(['exchanges', id])} title={sanitize(request.url)}>
          <span class="method">{request.method}</span>{' '}
          <span class="path">
            <bdi dir="ltr">
              {sanitize(path)}
              {query && <span class="quiet">{sanitize(query)}</span>}
            </bdi>
          </span>
        </a>
      </td>
      <td>{response?.status ?? <span class="quiet">none</span>}</td>
      <td>
        <VerdictWord exchange={exchange} />
      </td>
      <td title={summaryOf(exchange)}>{summaryOf(exchange)}</td>
      <td>{answeredBy}</td>
      <td>{tookText(durationMs)}</td>
      <td>{session && sanitize(session)}</td>
    </tr>
  );
}
