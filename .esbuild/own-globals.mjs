/**
 * Node's own globals, as they are when a gate is loaded. A test may put a clock of its own in the place of the timers, and a gate
 * that waited for that one would wait for ever; and Jest gives each test file other globals, in jsdom but those of a browser.
 */
const OWN = {
  'own-globals': `
    import { performance } from 'node:perf_hooks';
    import * as timers from 'node:timers';
    import { runInThisContext } from 'node:vm';
    const own = runInThisContext('globalThis');
    export const { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate, clearImmediate } = timers;
    export const { Date, queueMicrotask, structuredClone } = own;
    export const { AbortController, AbortSignal, TextDecoder, TextEncoder, URL, URLSearchParams } = own;
    const nextTick = own.process.nextTick.bind(own.process);
    export { performance, nextTick as 'process.nextTick' };`,
  'timers/promises': `
    import { promisify } from 'node:util';
    import * as timers from 'own-globals';
    export const setTimeout = promisify(timers.setTimeout), setImmediate = promisify(timers.setImmediate);`,
};
export const ownGlobals = {
  name: 'own-globals',
  setup(builder) {
    builder.onResolve({ filter: /^(?:own-globals|(?:node:)?timers\/promises)$/ }, ({ path }) => ({
      path: path.replace('node:', ''),
      namespace: 'own',
    }));
    builder.onLoad({ filter: /./, namespace: 'own' }, ({ path }) => ({ contents: OWN[path] }));
  },
};
