export interface Closable {
  close(): Promise<void>;
}

/** What is open: closed in the opposite order, each one even where another one fails. */
export class Opened implements Closable {
  readonly #all: Closable[] = [];

  add<T extends Closable>(one: T): T {
    this.#all.push(one);
    return one;
  }

  async close(): Promise<void> {
    try {
      await this.#all.pop()?.close();
    } finally {
      if (this.#all.length > 0) await this.close();
    }
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
