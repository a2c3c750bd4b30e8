/**
 * The load generator: keep-alive connections with one request under way on each. Any wrong answer makes it fail. Ends by
 * itself, bounded in time and in requests, and prints one line of JSON: {"requests", "seconds", "cpuSeconds",
 * "peakBytes", "marks": [{"seconds", "cpuSeconds", "peakBytes"}]}. What is of the CPU and of memory is the server's, where there is a
 * /proc. `marks` are counts of answers: what had been used when so many were there.
 * Usage: node load.js '{"port", "pid", "connections", "shape", "exchanges", "seed", "warmUp", "seconds", "limit", "marks"}'
 * The exchanges of the shape are asked for in turn, or with a `seed` at random.
 */
import { converse } from './converse.js';
import { orderOf } from './order.js';
import { exchangeOf, requestBytes } from './traffic.js';
import { usageOf } from './usage.js';

const { port, pid, connections, shape, exchanges, seed, warmUp, seconds, limit, marks } = JSON.parse(
  process.argv[2],
);
const nextIndex = orderOf(exchanges, seed);
/** What is few is made once. What grows is made anew each time: it would cost memory, and must cost the same at any size. */
const kept = shape === 'constant' ? [] : undefined;
let sent = 0;
let counted = 0;
let open = connections;
let state = 'warming up';
let startedAt = 0n;
let usageAtStart;
let result;
const marked = [];

if (warmUp === 0) startCounting();
else setTimeout(startCounting, warmUp * 1000);
for (let i = 0; i < connections; i++) converse(port, { next, answered, fail, ended });
setTimeout(() => fail('it hung: an answer never came'), (warmUp + seconds + 20) * 1000).unref();

function next() {
  if (state === 'stopping' || sent === limit) return undefined;
  sent++;
  const index = nextIndex();
  if (!kept) return made(index);
  kept[index] ??= made(index);
  return kept[index];
}

function made(index) {
  const exchange = exchangeOf(shape, index);
  return { request: requestBytes(port, exchange), answer: exchange.answer };
}

function answered() {
  if (state !== 'counting') return;
  counted++;
  if (counted === marks[marked.length]) marked.push(used());
  if (counted === limit) stopCounting();
}

function ended() {
  if (--open > 0) return;
  stopCounting();
  process.stdout.write(`${JSON.stringify(result)}\n`, () => process.exit(0));
}

function startCounting() {
  state = 'counting';
  usageAtStart = usageOf(pid);
  startedAt = process.hrtime.bigint();
  setTimeout(stopCounting, seconds * 1000);
}

function stopCounting() {
  if (state !== 'counting') return;
  result = { requests: counted, ...used(), marks: marked };
  state = 'stopping';
}

function used() {
  const elapsed = Number(process.hrtime.bigint() - startedAt) / 1e9;
  const usage = usageOf(pid);
  if (!usage) return { seconds: elapsed };
  const cpuSeconds = usage.cpuSeconds - usageAtStart.cpuSeconds;
  return { seconds: elapsed, cpuSeconds, peakBytes: usage.peakBytes };
}

function fail(message) {
  process.stderr.write(`the load generator on port ${port}: ${message.slice(0, 2000)}\n`);
  process.exit(1);
}
