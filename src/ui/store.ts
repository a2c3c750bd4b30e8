import { useEffect, useState } from 'preact/hooks';

/** A value outside of Preact. */
export interface Store<T> {
  read(): T;
  set(next: T): void;
  subscribe(listener: () => void): () => void;
}

export function createStore<T>(first: T): Store<T> {
  let value = first;
  const listeners = new Set<() => void>();
  return {
    read: () => value,
    set(next) {
      value = next;
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** The value now; the component is rendered again with the next one. */
export function useStore<T>(store: Store<T>): T {
  const [value, setValue] = useState(store.read);
  useEffect(() => {
    const update = () => setValue(() => store.read());
    // It may have changed between the first rendering and here.
    update();
    return store.subscribe(update);
  }, [store]);
  return value;
}
