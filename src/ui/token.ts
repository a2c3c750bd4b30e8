import { createListeners, useSyncExternalStore } from './store.ts';

const KEY = 'patchgate.token';
const listeners = createListeners();

/** The bearer token of this tab; `null` where there is none. */
export const token = (): string | null => sessionStorage.getItem(KEY);

let isRefused = false;

/** Whether the gate did not take the last one. */
export const wasRefused = (): boolean => isRefused;

/** @param next `null`: the former one is not accepted */
export function setToken(next: string | null): void {
  isRefused = next === null;
  if (next === null) sessionStorage.removeItem(KEY);
  else sessionStorage.setItem(KEY, next);
  listeners.tell();
}

/** Takes the token out of the address `#token=…`, of the history too. */
export function takeTokenFromAddress(): void {
  const given = /^#token=([\x21-\x7e]+)$/.exec(location.hash)?.[1];
  if (given === undefined) return;
  history.replaceState(null, '', '#/');
  setToken(decoded(given));
}

/** @returns `null` where it is badly escaped: such a token is a wrong one */
function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

export const useToken = (): string | null => useSyncExternalStore(listeners.subscribe, token);
