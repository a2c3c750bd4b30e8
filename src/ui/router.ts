import { createListeners, useSyncExternalStore } from './store.ts';

/** What stands behind the `#`: `#/exchanges/12?tab=diff`. */
export interface Route {
  /** `['exchanges', '12']`; empty at the start. */
  path: readonly string[];
  query: URLSearchParams;
}

let route = readRoute(location.hash);
const listeners = createListeners();
window.addEventListener('hashchange', reread);

/** The route that is shown; another object where it is another one. */
export const useRoute = (): Route => useSyncExternalStore(listeners.subscribe, read);

const read = () => route;

/** @param hash `#/exchanges/12?tab=diff`; any other is the start */
function readRoute(hash: string): Route {
  const [path = '', query = ''] = (hash.startsWith('#/') ? hash.slice(2) : '').split(/\?(.*)/s);
  return { path: path.split('/').filter(Boolean).map(decoded), query: new URLSearchParams(query) };
}

/** For a link: `hrefOf(['exchanges', 12])`. Parameters that are empty or undefined are left out. */
export function hrefOf(
  path: readonly (string | number)[],
  query: Readonly<Record<string, string | undefined>> = {},
): string {
  const given = Object.entries(query).filter((pair): pair is [string, string] => !!pair[1]);
  const asked = new URLSearchParams(given).toString();
  return `#/${path.map(encodeURIComponent).join('/')}${asked && `?${asked}`}`;
}

/** Changes parameters of the route that is shown, in the same entry of the history: a filter is no place to go back to. */
export function setQuery(changes: Readonly<Record<string, string | undefined>>): void {
  history.replaceState(null, '', hrefOf(route.path, { ...Object.fromEntries(route.query), ...changes }));
  reread();
}

function reread(): void {
  route = readRoute(location.hash);
  listeners.tell();
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
