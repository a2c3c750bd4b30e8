export interface Closable {
  close(): Promise<void>;
}

/** Closes them in turn, each one even where another one fails. */
export async function closing(...[first, ...others]: readonly Closable[]): Promise<void> {
  try {
    await first?.close();
  } finally {
    if (others.length > 0) await closing(...others);
  }
}

/** A start that fails leaves nothing open. */
export async function orClose<T>(opened: Closable, start: () => Promise<T>): Promise<T> {
  try {
    return await start();
  } catch (error) {
    await opened.close();
    throw error;
  }
}
