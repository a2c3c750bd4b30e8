import { connect } from 'node:net';
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { checkAlive, cpuSecondsOf } from './server.js';

const HEAD_END = Buffer.from('\r\n\r\n');
const LISTENS_WITHIN_MS = 20_000;

/**
 * Sends load to a server over raw keep-alive connections with one request under way on each, from the moment that it
 * listens.
 *
 * @param traffic makes request number n: `{ request, status, answer }`
 * @param options `from`: the number of the first request; `limit`: so many at most; `warmUp`, `seconds`: how long, where the
 *   requests of the warm-up count for nothing but the CPU time
 * @returns `{ next, requests, perSecond, p99, cpuSeconds }`: the number of the next request; how many were answered, the
 *   warm-up included; requests per second; ms; the server's CPU time from the first connection to the last answer
 * @throws Error on the first wrong answer
 */
export async function drive(server, traffic, options = {}) {
  const { connections = 16, from = 0, limit = Infinity, warmUp = 0, seconds = 60 } = options;
  const run = { next: from, end: from + limit, startedAt: undefined, stopAt: Infinity };
  const latencies = [];
  let countFrom;
  let answers = 0;
  let lastAt;
  let cpuBefore;

  const opened = () => {
    if (run.startedAt !== undefined) return;
    cpuBefore = cpuSecondsOf(server);
    run.startedAt = performance.now();
    countFrom = run.startedAt + warmUp * 1000;
    run.stopAt = countFrom + seconds * 1000;
  };
  const answered = (sentAt) => {
    answers++;
    lastAt = performance.now();
    if (lastAt >= countFrom) latencies.push(lastAt - sentAt);
  };
  await Promise.all(
    Array.from({ length: connections }, async () => {
      const socket = await open(server);
      opened();
      await converse(socket, traffic, run, answered);
    }),
  );
  return {
    next: run.next,
    requests: answers,
    perSecond: (latencies.length * 1000) / (lastAt - countFrom),
    p99: latencies.sort((a, b) => a - b)[Math.ceil(latencies.length * 0.99) - 1],
    cpuSeconds: cpuSecondsOf(server) - cpuBefore,
  };
}

/** A connection to a server, which may not listen yet. */
async function open(server) {
  for (const giveUpAt = performance.now() + LISTENS_WITHIN_MS; performance.now() < giveUpAt; await pause(1)) {
    checkAlive(server);
    const socket = connect(server.port, '127.0.0.1').setNoDelay(true);
    const isOpen = await new Promise((resolve) => {
      socket.once('connect', () => resolve(true));
      socket.once('error', () => resolve(false));
    });
    if (isOpen) return socket;
  }
  throw new Error(`${server.name} did not listen within ${LISTENS_WITHIN_MS / 1000} s`);
}

/** Sends one request after the other until the run is over. Every answer must be the expected one. */
function converse(socket, traffic, run, answered) {
  return new Promise((resolve, reject) => {
    let received = Buffer.alloc(0);
    let expected;
    let sentAt;
    const send = () => {
      expected = undefined;
      if (run.next >= run.end || performance.now() >= run.stopAt) return socket.end();
      expected = traffic(run.next++);
      sentAt = performance.now();
      socket.write(expected.request);
    };
    const fail = (what) => {
      run.end = 0;
      reject(new Error(what));
      socket.destroy();
    };
    socket.setTimeout(20_000, () => fail('an answer did not come within 20 s'));
    socket.on('error', (error) => fail(error.message));
    socket.on('close', () => (expected ? fail('the server closed a connection') : resolve()));
    socket.on('data', (chunk) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
      const headEnd = received.indexOf(HEAD_END);
      if (headEnd < 0) return;
      const head = received.latin1Slice(0, headEnd);
      const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1]);
      const body = received.subarray(headEnd + HEAD_END.length);
      if (body.length < length) return;
      const isExpected =
        head.startsWith(`HTTP/1.1 ${expected.status}`) && (!expected.answer || body.equals(expected.answer));
      if (!isExpected) return fail(`an answer is not the expected one: ${received}`);
      received = Buffer.alloc(0);
      answered(sentAt);
      send();
    });
    send();
  });
}
