/**
 * A bare http-proxy with a keep-alive agent: what forwarding is compared with.
 * Usage: node bare-proxy.js <port> <target's port>
 */
import { Agent, createServer } from 'node:http';
import httpProxy from 'http-proxy';

const [port, targetPort] = process.argv.slice(2).map(Number);
const agent = new Agent({ keepAlive: true, maxSockets: 64 });
const proxy = httpProxy.createProxyServer({ target: `http://127.0.0.1:${targetPort}`, agent });
const server = createServer((request, response) => proxy.web(request, response));
server.keepAliveTimeout = 600_000;
server.listen(port, '127.0.0.1');
