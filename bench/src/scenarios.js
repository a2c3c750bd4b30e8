import { fileURLToPath } from 'node:url';
import {
  measureFirst,
  measureFleet,
  measureLoad,
  measureMisses,
  measureStarts,
  measureTouches,
  measureTransactions,
} from './measures.js';
import { allDifferent, answeredAlike, recorded, unknownBody, unknownProject } from './traffic.js';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));

// Each gives Node's arguments, of the place (main.js) and a port.
export const bareEcho = ({ port }) => [here('bare-echo.js'), String(port)];
const bareAnswer = ({ port }) => [here('bare-answer.js'), String(port)];
const bareProxy = ({ port, targetPort }) => [here('bare-proxy.js'), String(port), String(targetPort)];
const check = ({ cli, body }) => [cli, 'check', '--operation', 'updateProject', body];

function proxy(...options) {
  return ({ cli, port, targetPort }) => [
    cli,
    'proxy',
    `http://127.0.0.1:${targetPort}`,
    '--port',
    String(port),
    '--log',
    'off',
    ...options,
  ];
}

function replay(recording) {
  return ({ cli, port, recordingsOf }) => [
    cli,
    'replay',
    '--recordings',
    recordingsOf(recording),
    '--port',
    String(port),
    '--log',
    'off',
  ];
}

/** A replay, and requests for what is in its recording. */
function replayOf(recording) {
  return { exchanges: recording.exchanges, command: replay(recording), traffic: recorded(recording) };
}

/** In a database, under a name of its own unless several gates have one in common. */
function withStore(...options) {
  const command = proxy(...options);
  return (place) => {
    const { postgres, recording = `port-${place.port}` } = place;
    return [...command(place), '--store', postgres.url, '--recording', recording];
  };
}

const SMALL = { exchanges: 1, paths: 1 };
const THOUSAND = { exchanges: 1000, paths: 1000 };
const LARGE = { exchanges: 10_000, paths: 10_000 };
/** The same number in as few files as a recording should have. */
const DENSE = { exchanges: 10_000, paths: 1 };

const httpProxy = { peerName: 'http-proxy', command: bareProxy, traffic: allDifferent() };
const nodeHttp = { peerName: 'node:http', command: bareAnswer, traffic: answeredAlike(recorded(LARGE)) };

/** A thousand projects: PATCHes of one wait for one another in the database. */
const inTurn = { traffic: allDifferent(1000) };

const forwarding = { traffic: allDifferent(), p99AtMost: 1.5 };
const replaying = { atLeast: 0.5, p99AtMost: 1.5 };

/** What is measured, in the order of the table, each group in turns with its peer. The targets are the project's own. */
export const groups = [
  {
    measure: measureLoad,
    peer: httpProxy,
    scenarios: [
      {
        ...forwarding,
        name: 'stream',
        command: proxy('--validation', 'off', '--no-guard', '--no-state'),
        atLeast: 1,
      },
      { ...forwarding, name: 'judge', command: proxy('--no-guard'), atLeast: 1, memoryLimit: 128 },
      { ...forwarding, name: 'record', command: proxy('--record', 'all', '--no-guard'), atLeast: 0.9 },
      {
        ...forwarding,
        name: 'record-1000-paths',
        command: proxy('--record', 'all', '--no-guard'),
        traffic: allDifferent(1000),
        atLeast: 0.8,
      },
    ],
  },
  {
    measure: measureLoad,
    peer: { ...inTurn, peerName: 'no guard', command: proxy('--no-guard') },
    scenarios: [{ ...inTurn, name: 'guard', command: proxy(), atLeast: 0.6 }],
  },
  {
    measure: measureLoad,
    peer: nodeHttp,
    scenarios: [
      { ...replaying, ...replayOf(SMALL), name: 'replay' },
      { ...replaying, ...replayOf(THOUSAND), name: 'replay-1000' },
      { ...replaying, ...replayOf(LARGE), name: 'replay-10000', memoryLimit: 150 },
      {
        ...replaying,
        ...replayOf({ exchanges: 50_000, paths: 10_000 }),
        name: 'replay-50000',
        memoryLimit: 350,
      },
    ],
  },
  {
    needsPostgres: true,
    measure: measureLoad,
    peer: { ...inTurn, peerName: 'files', command: proxy('--record', 'all', '--no-guard') },
    scenarios: [
      {
        ...inTurn,
        name: 'record-store',
        command: withStore('--record', 'all', '--no-guard'),
        atLeast: 0.9,
      },
    ],
  },
  {
    needsPostgres: true,
    measure: measureLoad,
    peer: { ...inTurn, peerName: 'files', command: proxy() },
    scenarios: [{ ...inTurn, name: 'guard-store', command: withStore() }],
  },
  {
    needsPostgres: true,
    measure: measureTransactions,
    scenarios: [{ ...inTurn, name: 'guard-transactions', command: withStore(), limit: 2.1 }],
  },
  {
    needsPostgres: true,
    measure: measureFleet,
    peer: { ...inTurn, peerName: 'one gate', command: withStore('--record', 'all'), gates: 1 },
    scenarios: [
      { ...inTurn, name: 'fleet-3', command: withStore('--record', 'all'), gates: 3, atLeast: 0.9 },
    ],
  },
  {
    measure: measureTouches,
    peer: nodeHttp,
    scenarios: [{ ...replayOf(LARGE), name: 'first-touch', limit: 250, warmAtMost: 1.3 }],
  },
  {
    measure: measureFirst,
    peer: nodeHttp,
    scenarios: [{ ...replayOf(THOUSAND), name: 'first-1000', atLeast: 0.4 }],
  },
  {
    measure: measureStarts,
    peer: nodeHttp,
    scenarios: [
      { ...replayOf(SMALL), name: 'start', atMost: 2 },
      { ...replayOf(LARGE), name: 'start-10000', atMost: 2.5 },
      { name: 'start-check', command: check },
    ],
  },
  {
    measure: measureMisses,
    scenarios: [
      { name: 'miss', command: replay(DENSE), traffic: unknownBody, limit: 2 },
      { name: 'miss-path', command: replay(LARGE), traffic: unknownProject, limit: 2 },
    ],
  },
];
