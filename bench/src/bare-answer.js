/**
 * A bare node:http answer: what replaying is compared with.
 * Usage: node bare-answer.js <port>
 */
import { createServer } from 'node:http';
import { body } from './traffic.js';

const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
    response.end(body);
  });
});
// What is held still while others are measured must find its connections open again.
server.keepAliveTimeout = 600_000;
server.listen(Number(process.argv[2]), '127.0.0.1');
