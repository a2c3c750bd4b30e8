import { type ComponentType, render } from 'preact';
import { useEffect, useErrorBoundary, useRef } from 'preact/hooks';
import { currentOf, pendingOf } from './approval-words.ts';
import { Approvals } from './approvals.tsx';
import { ExchangePage } from './exchange.tsx';
import { Exchanges } from './exchanges.tsx';
import { follow, useLive } from './live.ts';
import { hrefOf, type Route, useRoute } from './router.ts';
import { setToken, takeTokenFromAddress, useToken, wasRefused } from './token.ts';

interface View {
  title: string;
  /** @param route behind the view's name: an id may stand there */
  component: ComponentType<{ route: Route }>;
}

/** By the first part of the route; the list of exchanges is the start. In the order of the navigation. */
const VIEWS: Readonly<Record<string, View>> = {
  '': { title: 'Exchanges', component: Exchanges },
  approvals: { title: 'Approvals', component: Approvals },
};
const ONE_EXCHANGE: View = { title: 'Exchange', component: ExchangePage };

function viewOf({ path: [name = ''] }: Route): View | undefined {
  return name === 'exchanges' ? ONE_EXCHANGE : VIEWS[name];
}

function App() {
  const token = useToken();
  return token === null ? <AskForToken /> : <Page key={token} />;
}

function AskForToken() {
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const given = String(new FormData(event.currentTarget as HTMLFormElement).get('token')).trim();
    if (given !== '') setToken(given);
  };
  return (
    <main class="token">
      <h1>Patchgate</h1>
      {wasRefused() && <p role="alert">Patchgate does not take this token. It may have been started anew.</p>}
      <p>
        The inspector needs a token. Patchgate prints a link with it at its start, unless it was given one. An
        approver's own token opens it, too.
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

function Page() {
  const route = useRoute();
  const view = viewOf(route);
  const main = useRef<HTMLElement>(null);
  const path = route.path.join('/');
  const shown = useRef(path);
  useEffect(() => {
    const ending = new AbortController();
    follow(ending.signal);
    return () => ending.abort();
  }, []);
  useEffect(() => {
    document.title = `${view?.title ?? 'Not found'} - Patchgate`;
    // Who follows a link goes on at its content; a filter changes no place.
    if (shown.current !== path) main.current?.focus();
    shown.current = path;
  }, [view, path]);
  const skip = (event: Event) => {
    event.preventDefault();
    main.current?.focus();
  };
  return (
    <>
      {/* biome-ignore lint/a11y/useValidAnchor: it leads to a place of this page, and what stands behind the # is the route's */}
      <a class="skip" href="#main" onClick={skip}>
        Skip to the content
      </a>
      <header>
        <strong>Patchgate</strong>
        <Navigation current={route.path[0] === 'exchanges' ? '' : (route.path[0] ?? '')} />
      </header>
      <Connection />
      <main id="main" tabIndex={-1} ref={main}>
        {/* Another path is another view, with a state of its own. */}
        {view ? <Shown key={path} view={view} route={route} /> : <NotFound />}
      </main>
    </>
  );
}

function Navigation({ current }: { current: string }) {
  const { approvals } = useLive();
  const pending = pendingOf(currentOf(approvals, Date.now())).length;
  return (
    <nav aria-label="Views">
      <ul>
        {Object.entries(VIEWS).map(([name, { title }]) => (
          <li key={name}>
            <a href={hrefOf(name === '' ? [] : [name])} aria-current={name === current ? 'page' : undefined}>
              {title}
              {name === 'approvals' && pending > 0 && ` (${pending})`}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** Says where the page shows what was, and not what is. */
function Connection() {
  const { connection, trouble } = useLive();
  return (
    <div role="status" class="connection">
      {connection === 'disconnected' && <p class="trouble">Disconnected: {trouble}. Trying again.</p>}
      {connection === 'connected' && trouble && <p class="trouble">{trouble}</p>}
    </div>
  );
}

/** A view that fails takes nothing else with it. */
function Shown({ view: { component: Component }, route }: { view: View; route: Route }) {
  const [error, retry] = useErrorBoundary();
  if (error === undefined) return <Component route={route} />;
  return (
    <>
      <h1>This view failed</h1>
      <p role="alert">{error instanceof Error ? error.message : String(error)}</p>
      <button type="button" onClick={retry}>
        Show it again
      </button>
    </>
  );
}

function NotFound() {
  return (
    <>
      <h1>Not found</h1>
      <p>
        There is no such view. <a href="#/">All exchanges</a>
      </p>
    </>
  );
}

takeTokenFromAddress();
// A link with a token may be opened in a tab that shows the page.
window.addEventListener('hashchange', takeTokenFromAddress);
render(<App />, document.getElementById('app') as HTMLElement);
