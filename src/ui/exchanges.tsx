import { Component } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { sanitize } from '../reporters/wording.ts';
import type { ShownExchange } from '../server/show-exchange.ts';
import { get } from './api.ts';
import { Detail } from './detail.tsx';
import { filterOf, hasWord, toggleWord } from './filter.ts';
import { clearExchanges, useLive } from './live.ts';
import { Marks } from './parts.tsx';
import { hrefOf, type Route, replaceWith } from './router.ts';
import { KINDS, kindOf, pathParts, timeOf, tookText } from './words.ts';

const CHIPS = ['blocked', 'missed', 'unguarded'];

/** The list, and beside it the exchange that is open. */
export function Exchanges({ route }: { route: Route }) {
  const { exchanges } = useLive();
  const q = route.query.get('q') ?? '';
  const open = route.id === '' ? undefined : Number(route.id);
  const [moved, setCursor] = useState<number>();
  const cursor = open ?? moved;
  const list = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const [upTo, release] = useHold(list, exchanges[0]?.id ?? 0, open !== undefined);
  const wanted = useMemo(() => exchanges.filter(filterOf(q)), [exchanges, q]);
  const rows = useMemo(() => wanted.filter(({ id }) => id <= upTo), [wanted, upTo]);
  const waiting = wanted.length - rows.length;

  const filterBy = (text: string) => {
    release();
    replaceWith(hrefOf('exchanges', route.id, { q: text }));
  };
  const show = (id: number) => {
    setCursor(id);
    const href = hrefOf('exchanges', id, { q });
    if (open === undefined) location.hash = href;
    else replaceWith(href);
  };
  const close = () => {
    setCursor(open);
    replaceWith(hrefOf('exchanges', '', { q }));
    list.current?.focus();
  };
  const moveTo = (index: number) => {
    const row = rows[Math.max(0, Math.min(rows.length - 1, index))];
    if (!row) return;
    if (open === undefined) setCursor(row.id);
    else show(row.id);
    document.getElementById(rowId(row.id))?.scrollIntoView({ block: 'nearest' });
  };
  const onKey = (event: KeyboardEvent) => {
    const at = rows.findIndex(({ id }) => id === cursor);
    const page = Math.floor((list.current?.clientHeight ?? 0) / 32);
    const keys = ['ArrowDown', 'ArrowUp', 'PageDown', 'PageUp', 'Home', 'End'];
    const index = [at + 1, at - 1, at + page, at - page, 0, rows.length][keys.indexOf(event.key)];
    if (index !== undefined) moveTo(index);
    else if (event.key === 'Enter' && cursor !== undefined) show(cursor);
    else return;
    event.preventDefault();
  };
  useShortcuts({
    '/': () => field.current?.select(),
    Escape: () => (open === undefined ? list.current?.blur() : close()),
  });

  return (
    <div class={open === undefined ? 'exchanges' : 'exchanges with-detail'}>
      <h1 class="unseen">Exchanges</h1>
      <search class="tools flow">
        <input
          ref={field}
          type="search"
          aria-label="Filter"
          placeholder="Filter: blocked  status:4xx  PATCH  /projects/42     ( / )"
          title="Words: blocked, missed, unguarded, passed, flagged, failed, approved, replayed; a method; status:4xx, rule:, operation:, session:; a part of the path. -word: not so"
          spellcheck={false}
          value={q}
          onInput={(event) => filterBy(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'ArrowDown') list.current?.focus();
          }}
        />
        {CHIPS.map((word) => (
          <button
            key={word}
            type="button"
            class="chip"
            aria-pressed={hasWord(q, word)}
            onClick={() => filterBy(toggleWord(q, word))}
          >
            {word}
          </button>
        ))}
        <button
          type="button"
          disabled={rows.length === 0}
          onClick={() => void download(rows)}
          title="Download the exchanges of the list, with their bodies"
        >
          JSON
        </button>
        <button type="button" onClick={clearExchanges} title="Clear the list in this tab">
          Clear
        </button>
      </search>
      <div class="panes">
        <section class="list" aria-label="List">
          <p role="status" class="news">
            {waiting > 0 && (
              <button
                type="button"
                onClick={() => {
                  release();
                  if (list.current) list.current.scrollTop = 0;
                }}
              >
                ↑ {waiting} new
              </button>
            )}
          </p>
          <div
            class="rows"
            role="listbox"
            aria-label="Exchanges"
            aria-activedescendant={rows.some(({ id }) => id === cursor) ? rowId(cursor as number) : undefined}
            tabIndex={0}
            ref={list}
            onKeyDown={onKey}
          >
            {rows.map((exchange) => (
              <Row
                key={exchange.id}
                exchange={exchange}
                isCurrent={exchange.id === cursor}
                onOpen={() => show(exchange.id)}
              />
            ))}
          </div>
          {rows.length === 0 && (
            <p class="nothing quiet">
              {q === ''
                ? 'No exchange yet. Requests through the gate show up here.'
                : 'No exchange matches this filter.'}
            </p>
          )}
        </section>
        {open !== undefined && (
          <Detail id={route.id} q={q} finding={route.query.get('finding') ?? ''} onClose={close} />
        )}
      </div>
    </div>
  );
}

const rowId = (id: number) => `exchange-${id}`;

/** Milliseconds that a moving pointer holds the list, so that one can aim at a row. */
const AIMING = 2000;

/** Holds the list as it is while somebody reads it. @returns the newest id that shows, and a function that lets newer ones in */
function useHold(
  list: { readonly current: HTMLDivElement | null },
  newest: number,
  isOpen: boolean,
): [upTo: number, release: () => void] {
  const [isRead, setRead] = useState(false);
  const [held, setHeld] = useState(0);
  const isHeld = isRead || isOpen;
  useEffect(() => {
    const rows = list.current as HTMLDivElement;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = (event?: Event) => {
      const isAiming = event?.type === 'pointermove';
      clearTimeout(timer);
      if (isAiming) timer = setTimeout(look, AIMING);
      setRead(isAiming || rows.scrollTop > 0 || document.activeElement === rows);
    };
    const names = ['pointermove', 'scroll', 'focus', 'blur'];
    for (const name of names) rows.addEventListener(name, look, { passive: true });
    return () => clearTimeout(timer);
  }, [list]);
  const release = () => setHeld(isHeld ? newest : 0);
  useEffect(release, [isHeld]);
  // Another run counts from 1 again.
  return [held === 0 || held > newest ? Number.POSITIVE_INFINITY : held, release];
}

/** Keys of the whole page, except in a field. */
function useShortcuts(actions: Record<string, () => void>): void {
  const latest = useRef(actions);
  latest.current = actions;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const action = latest.current[event.key];
      if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
      const isTyping = (event.target as HTMLElement).matches?.('input, textarea');
      if (isTyping && event.key !== 'Escape') return;
      if (event.key === '/') event.preventDefault();
      action();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}

const STATUS_TONES: readonly (string | undefined)[] = ['', '', 'good', 'warn', 'bad', 'bad'];

type RowProps = { exchange: ShownExchange; isCurrent: boolean; onOpen: () => void };

class Row extends Component<RowProps> {
  override shouldComponentUpdate(next: RowProps): boolean {
    return next.exchange !== this.props.exchange || next.isCurrent !== this.props.isCurrent;
  }

  override render({ exchange, isCurrent }: RowProps) {
    const { id, request, response, verdict, startedAt, durationMs } = exchange;
    const [sign, word, tone] = KINDS[kindOf(exchange)];
    const [start, end] = pathParts(request.url);
    const status = response?.status;
    return (
      // biome-ignore lint/a11y/useKeyWithClickEvents: the listbox takes the keys
      <div
        role="option"
        id={rowId(id)}
        class="row"
        aria-selected={isCurrent}
        tabIndex={-1}
        onClick={() => this.props.onOpen()}
      >
        <span class={`word ${tone}`} aria-hidden="true">
          {sign}
        </span>
        <span class={`word middle ${tone}`}>{word}</span>
        <span class={status === undefined ? 'quiet' : STATUS_TONES[Math.floor(status / 100)]}>
          {status ?? '—'}
        </span>
        <span class="word">{sanitize(request.method)}</span>
        <span class="path mono" title={sanitize(request.url)}>
          <span class="quiet">{start}</span>
          <span class="end">{end}</span>
        </span>
        <Marks exchange={exchange} />
        <span class="wide quiet">{verdict?.operation}</span>
        <time class="wide quiet" dateTime={startedAt}>
          {timeOf(startedAt)}
        </time>
        <span class="took quiet">{tookText(durationMs)}</span>
      </div>
    );
  }
}

/** Downloads the exchanges of the list, with their bodies. */
async function download(shown: readonly ShownExchange[]): Promise<void> {
  const { exchanges } = await get<{ exchanges: ShownExchange[] }>('exchanges');
  const ids = new Set(shown.map(({ id }) => id));
  const wanted = exchanges.filter(({ id }) => ids.has(id));
  const link = document.createElement('a');
  link.href = URL.createObjectURL(
    new Blob([JSON.stringify({ exchanges: wanted }, null, 2)], { type: 'application/json' }),
  );
  link.download = 'patchgate.json';
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
