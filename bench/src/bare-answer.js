/**
 * A bare node:http answer: the target behind the proxies, and what replaying is compared with.
 * Usage: node bare-answer.js <port>
 */
import { createServer } from 'node:http';
import { answerBody } from './traffic.js';

const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': answerBody.length });
    response.end(answerBody);
  });
});
// A proxy that is held still while its peer is measured must find its connections open again.
server.keepAliveTimeout = 600_000;
server.listen(Number(process.argv[2]), '127.0.0.1');
