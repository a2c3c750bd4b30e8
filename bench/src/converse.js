import { connect } from 'node:net';

const HEAD_END = Buffer.from('\r\n\r\n');

/**
 * One raw keep-alive connection with one request under way. Every answer must be a 200 with the bytes expected.
 *
 * @param next gives `{ request, answer }`, or undefined to end the connection
 * @param answered called for each answer
 * @param fail called with what went wrong, and does not return
 * @param ended called when the connection is closed, as `next` wished
 */
export function converse(port, { next, answered, fail, ended }) {
  const socket = connect(port, '127.0.0.1').setNoDelay(true);
  let received = Buffer.alloc(0);
  let length = 0;
  let expected;
  const send = () => {
    expected = next();
    if (expected) socket.write(expected.request);
    else socket.end();
  };
  socket.on('connect', send);
  socket.on('error', (error) => fail(error.message));
  socket.on('close', () => (expected ? fail('the server closed a connection') : ended()));
  socket.on('data', (chunk) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    if (length === 0) length = lengthOf(received, expected.answer, fail);
    if (length === 0 || received.length < length) return;
    const body = received.subarray(length - expected.answer.length);
    if (!body.equals(expected.answer)) fail(`an answer is not the expected one: ${body.toString()}`);
    received = Buffer.alloc(0);
    length = 0;
    answered();
    send();
  });
}

/** Bytes of the whole answer, or 0 while its head is incomplete. */
function lengthOf(received, answer, fail) {
  const end = received.indexOf(HEAD_END);
  if (end < 0) return 0;
  const head = received.latin1Slice(0, end);
  if (!head.startsWith('HTTP/1.1 200')) fail(`an answer is not a 200: ${received.toString()}`);
  const length = /^content-length: *(\d+)/im.exec(head);
  if (!length) fail(`an answer has no Content-Length: ${head}`);
  if (Number(length[1]) !== answer.length) fail(`an answer has the wrong length: ${received.toString()}`);
  return end + HEAD_END.length + answer.length;
}
