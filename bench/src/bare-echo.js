/**
 * A node:http server that gives back the body that it was sent, and shows each project: the target behind the proxies.
 * Usage: node bare-echo.js <port>
 */
import { createServer } from 'node:http';
import { body as project } from './traffic.js';

const server = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const sent = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
    const body = request.method === 'GET' ? project : sent;
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
    response.end(body);
  });
});
server.keepAliveTimeout = 600_000;
server.listen(Number(process.argv[2]), '127.0.0.1');
