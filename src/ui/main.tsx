import { render } from 'preact';
import { useEffect } from 'preact/hooks';
import { sanitize } from '../reporters/wording.ts';
import type { ShownExchange } from '../server/show-exchange.ts';
import { isRefused } from './api.ts';
import { ApprovalBanner, Approvals, usePending } from './approvals.tsx';
import { Exchanges } from './exchanges.tsx';
import { follow, useLive } from './live.ts';
import { hrefOf, useRoute } from './router.ts';
import { useStore } from './store.ts';
import { pageToken, takeTokenFromAddress } from './tokens.ts';
import { isUnguarded, kindOf } from './words.ts';

function App() {
  const token = useStore(pageToken);
  return token === null ? <AskForToken /> : <Page key={token} />;
}

function AskForToken() {
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const given = String(new FormData(event.currentTarget as HTMLFormElement).get('token')).trim();
    if (given !== '') pageToken.set(given);
  };
  return (
    <main class="token">
      <h1>Patchgate</h1>
      {isRefused.read() && (
        <p role="alert" class="bad">
          Patchgate does not take this token. It may have been started again.
        </p>
      )}
      <p>
        Patchgate prints a link with the token at its start, unless a control token is set. An approver’s
        token opens the page, too.
      </p>
      <form onSubmit={submit}>
        <label>
          Token <input name="token" type="password" autocomplete="off" required />
        </label>
        <button type="submit">Open</button>
      </form>
    </main>
  );
}

const TITLES: Readonly<Record<string, string>> = { exchanges: 'Exchanges', approvals: 'Approvals' };

function Page() {
  const route = useRoute();
  const waiting = usePending().length;
  useEffect(() => {
    const ending = new AbortController();
    follow(ending.signal);
    return () => ending.abort();
  }, []);
  useEffect(() => {
    document.title = `${waiting > 0 ? `(${waiting}) ` : ''}${TITLES[route.page]} - Patchgate`;
  }, [route.page, waiting]);
  return (
    <>
      <Header page={route.page} waiting={waiting} />
      <Connection />
      <ApprovalBanner />
      <main>{route.page === 'approvals' ? <Approvals id={route.id} /> : <Exchanges route={route} />}</main>
    </>
  );
}

const COUNTED: Readonly<Record<string, (exchange: ShownExchange) => boolean>> = {
  blocked: (exchange) => kindOf(exchange) === 'blocked',
  missed: (exchange) => kindOf(exchange) === 'missed',
  unguarded: isUnguarded,
};

function Header({ page, waiting }: { page: string; waiting: number }) {
  const { health, exchanges } = useLive();
  return (
    <header class="flow">
      <strong>Patchgate</strong>
      <nav aria-label="Pages">
        {Object.entries(TITLES).map(([name, title]) => (
          <a key={name} href={hrefOf(name)} aria-current={name === page ? 'page' : undefined}>
            {title}
            {name === 'approvals' && waiting > 0 && <span class="count">{waiting}</span>}
          </a>
        ))}
      </nav>
      <p class="flow doing quiet" title={sanitize(health?.doing ?? '')}>
        <span>{sanitize(health?.doing ?? '')}</span>
        <span class="mark">{health?.validation}</span>
        <span class="mark">guard {health?.guard}</span>
      </p>
      <p>
        {Object.entries(COUNTED).map(([word, isCounted]) => {
          const count = exchanges.filter(isCounted).length;
          return (
            <a key={word} href={hrefOf('exchanges', '', { q: word })} class={count > 0 ? 'bad' : 'quiet'}>
              <b>{count}</b> {word}
            </a>
          );
        })}
      </p>
    </header>
  );
}

/** Says when the page shows the past. */
function Connection() {
  const { isConnected, trouble } = useLive();
  return (
    <div role="status">
      {trouble && (
        <p class="banner trouble">
          {!isConnected && 'Disconnected, trying again: '}
          {sanitize(trouble)}
        </p>
      )}
    </div>
  );
}

takeTokenFromAddress();
// A link with a token may be opened in a tab that shows the page.
window.addEventListener('hashchange', takeTokenFromAddress);
render(<App />, document.getElementById('app') as HTMLElement);
