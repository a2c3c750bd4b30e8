import { bareAnswer, bareNode, bareProxy, checkBody, proxy, recorder, replay } from './commands.js';

/**
 * What is measured, in the order it is printed. `load`: requests a second of ours over the peer's. `first-answer` and
 * `whole-run`: milliseconds from the start to the first answer, or to the end, of ours over the peer's. `body-cost`: CPU
 * time of the costliest hostile body over that of the costliest valid one. `in-test`: microseconds from the call of `replay` of
 * patchgate/testing until it listens, over a bare listen in the same process. `paths`: over how many projects the load is
 * spread. `…-growth`: the large over the small, in one of the shapes of traffic.js; these take long and are measured
 * where they are asked for. The targets are those that the project set itself.
 */
export const scenarios = [
  { name: 'forward', kind: 'load', ours: proxy('--validation', 'off', '--no-guard', '--log', 'off') },
  { name: 'judge', kind: 'load', ours: proxy('--log', 'off') },
  { name: 'judge-logged', kind: 'load', ours: proxy() },
  { name: 'record', kind: 'load', ours: recorder('one', '--log', 'off'), target: { atLeast: 1.1 } },
  { name: 'record-logged', kind: 'load', ours: recorder('logged'), target: { atLeast: 1.1 } },
  {
    name: 'record-1000-paths',
    kind: 'load',
    paths: 1000,
    ours: recorder('many', '--log', 'off'),
    target: { atLeast: 1.1 },
  },
  {
    name: 'replay',
    kind: 'load',
    needsRecording: true,
    ours: replay('--log', 'off'),
    peer: bareAnswer,
    peerName: 'node:http',
    target: { atLeast: 0.5 },
  },
  {
    name: 'replay-logged',
    kind: 'load',
    needsRecording: true,
    ours: replay(),
    peer: bareAnswer,
    peerName: 'node:http',
    target: { atLeast: 0.5 },
  },
  {
    name: 'start-replay',
    kind: 'first-answer',
    needsRecording: true,
    ours: replay(),
    target: { atMost: 4 },
  },
  {
    name: 'start-in-test',
    kind: 'in-test',
    needsRecording: true,
    peerName: 'node:http listens',
    unit: 'µs',
  },
  {
    name: 'start-check',
    kind: 'whole-run',
    ours: checkBody,
  },
  {
    name: 'worst-body',
    kind: 'body-cost',
    ours: proxy('--log', 'off'),
    peerName: 'a valid body',
    target: { atMost: 1.5 },
  },
  ...['paths', 'one', 'same'].map((shape) =>
    growth('record', shape, { unit: 'µs', target: { atMost: 1.2 } }),
  ),
  ...['paths', 'one'].map((shape) =>
    growth('replay', shape, { unit: 'requests/s', target: { atLeast: 0.9 } }),
  ),
  ...['paths', 'one'].map((shape) => growth('start', shape, { target: { atMost: 1.2 } })),
  ...['paths', 'one'].map((shape) => growth('start-in-test', shape, { unit: 'µs', target: { atMost: 1.2 } })),
].map((scenario) => ({
  paths: 1,
  isGrowth: false,
  target: {},
  ...(scenario.kind === 'load'
    ? { peer: bareProxy, peerName: 'http-proxy' }
    : { peer: bareNode, peerName: 'node -e 0' }),
  ...scenario,
}));

function growth(what, shape, more) {
  const kind = `${what}-growth`;
  return { name: `${kind}-${shape}`, kind, shape, isGrowth: true, peerName: 'its own small size', ...more };
}
