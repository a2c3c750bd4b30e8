import { createStore, type Store } from './store.ts';

/** The bearer token of the page; `null`: it has to be given. */
export const pageToken = createTokenStore('patchgate.token');

/** The token for decisions, if another one than the page's was given. */
export const approverToken = createTokenStore('patchgate.approver');

/** The tab keeps it, in `sessionStorage`. */
function createTokenStore(key: string): Store<string | null> {
  const store = createStore(sessionStorage.getItem(key));
  return {
    ...store,
    set(next) {
      if (next === null) sessionStorage.removeItem(key);
      else sessionStorage.setItem(key, next);
      store.set(next);
    },
  };
}

/** Takes the token out of the address `#token=…`, and out of the history. */
export function takeTokenFromAddress(): void {
  const given = /^#token=([\x21-\x7e]+)$/.exec(location.hash)?.[1];
  if (given === undefined) return;
  history.replaceState(null, '', '#/');
  pageToken.set(given);
}
