import { vi } from 'vitest';

/** What it finds, once it no longer throws. A machine that has much else to do is no failure. */
export const soon = <T>(look: () => T | Promise<T>): Promise<T> => vi.waitFor(look, { timeout: 30_000 });
