/**
 * The load generator: raw keep-alive sockets, one request under way on each. Every answer must be a 200 with the bytes
 * expected, or it fails. Ends by itself, bounded in time and count, and prints one line of JSON:
 * {"requests", "seconds", "cpuSeconds", "peakBytes"}; the last two are the server's, where there is a /proc.
 * Usage: node load.js '{"port", "pid", "connections", "paths", "warmUp", "seconds", "limit"}'
 */
import { connect } from 'node:net';
import { answerBody, requestBytes } from './traffic.js';
import { usageOf } from './usage.js';

const { port, pid, connections, paths, warmUp, seconds, limit } = JSON.parse(process.argv[2]);
const requests = Array.from({ length: paths }, (_, index) => requestBytes(port, index));
const HEAD_END = Buffer.from('\r\n\r\n');

let sent = 0;
let counted = 0;
let open = connections;
let state = 'warming up';
let startedAt = 0n;
let usageAtStart;
let result;

for (let i = 0; i < connections; i++) converse();
setTimeout(startCounting, warmUp * 1000);
setTimeout(() => fail('it hung: an answer never came'), (warmUp + seconds + 20) * 1000).unref();

function converse() {
  const socket = connect(port, '127.0.0.1').setNoDelay(true);
  let received = Buffer.alloc(0);
  let length = 0;
  const next = () => socket.write(requests[sent++ % paths]);
  socket.on('connect', next);
  socket.on('error', (error) => fail(error.message));
  socket.on('close', () => {
    if (state !== 'stopping') fail('the server closed a connection');
    if (--open === 0) process.stdout.write(`${JSON.stringify(result)}\n`, () => process.exit(0));
  });
  socket.on('data', (chunk) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    if (length === 0) length = lengthOf(received);
    if (length === 0 || received.length < length) return;
    checkBody(received.subarray(length - answerBody.length));
    received = Buffer.alloc(0);
    length = 0;
    if (state === 'counting' && ++counted === limit) stopCounting();
    if (state === 'stopping') socket.end();
    else next();
  });
}

/** Bytes of the whole answer, or 0 while its head is incomplete. */
function lengthOf(received) {
  const end = received.indexOf(HEAD_END);
  if (end < 0) return 0;
  const head = received.latin1Slice(0, end);
  if (!head.startsWith('HTTP/1.1 200')) fail(`an answer is not a 200: ${received.toString()}`);
  const length = /^content-length: *(\d+)/im.exec(head);
  if (!length) fail(`an answer has no Content-Length: ${head}`);
  if (Number(length[1]) !== answerBody.length) fail(`an answer has the wrong length: ${received.toString()}`);
  return end + HEAD_END.length + answerBody.length;
}

function checkBody(body) {
  if (!body.equals(answerBody)) fail(`an answer is not the expected one: ${body.toString()}`);
}

function startCounting() {
  state = 'counting';
  usageAtStart = usageOf(pid);
  startedAt = process.hrtime.bigint();
  setTimeout(stopCounting, seconds * 1000);
}

function stopCounting() {
  if (state !== 'counting') return;
  const elapsed = Number(process.hrtime.bigint() - startedAt) / 1e9;
  const usage = usageOf(pid);
  state = 'stopping';
  result = {
    requests: counted,
    seconds: elapsed,
    cpuSeconds: usage && usage.cpuSeconds - usageAtStart.cpuSeconds,
    peakBytes: usage?.peakBytes,
  };
}

function fail(message) {
  process.stderr.write(`the load generator on port ${port}: ${message.slice(0, 2000)}\n`);
  process.exit(1);
}
