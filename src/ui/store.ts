import { useEffect, useState } from 'preact/hooks';

/** The value of something outside of Preact, which says when it is another one. */
export function useSyncExternalStore<T>(subscribe: (onChange: () => void) => () => void, read: () => T): T {
  const [value, setValue] = useState(read);
  useEffect(() => {
    const update = () => setValue(() => read());
    // It may have changed since it was read.
    update();
    return subscribe(update);
  }, [subscribe, read]);
  return value;
}

/** Those who are told that something is another one. */
export function createListeners() {
  const listeners = new Set<() => void>();
  return {
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    tell(): void {
      for (const listener of listeners) listener();
    },
  };
}
