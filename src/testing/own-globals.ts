/**
 * Node's own globals, as they are when a gate is loaded: the build puts them in the place of the globals in our sources. A test may
 * put a clock of its own in the place of the timers, and a gate that waited for that one would wait for ever; and Jest gives each
 * test file other globals, in jsdom but those of a browser.
 */
import { performance } from 'node:perf_hooks';
import * as timers from 'node:timers';
import { runInThisContext } from 'node:vm';

const own: typeof globalThis = runInThisContext('globalThis');
export const { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate, clearImmediate } = timers;
// biome-ignore lint/suspicious/noShadowRestrictedNames: it is the one of that name.
export const { Date, queueMicrotask, structuredClone } = own;
export const { AbortController, AbortSignal, TextDecoder, TextEncoder, URL, URLSearchParams } = own;
const nextTick = own.process.nextTick.bind(own.process);

export { nextTick as 'process.nextTick', performance };
