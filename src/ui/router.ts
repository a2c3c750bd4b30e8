import { createStore, useStore } from './store.ts';

/** The address behind the `#`: `#/exchanges/12?q=blocked`. The start is `exchanges`. */
export interface Route {
  page: string;
  id: string;
  query: URLSearchParams;
}

const store = createStore(readRoute());
export const useRoute = (): Route => useStore(store);
window.addEventListener('hashchange', () => store.set(readRoute()));

function readRoute(): Route {
  const [path = '', query = ''] = (location.hash.startsWith('#/') ? location.hash.slice(2) : '').split(
    /\?(.*)/s,
  );
  const [page = '', id = ''] = path.split('/');
  return { page: page === 'approvals' ? page : 'exchanges', id, query: new URLSearchParams(query) };
}

/** Parameters that are empty are left out. */
export function hrefOf(page: string, id: string | number = '', query: Record<string, string> = {}): string {
  const asked = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== '')).toString();
  return `#/${page}${id === '' ? '' : `/${id}`}${asked && `?${asked}`}`;
}

/** Goes there without a new entry in the history. */
export function replaceWith(href: string): void {
  history.replaceState(null, '', href);
  store.set(readRoute());
}
