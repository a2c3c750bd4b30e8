/** Requests that can be told from one another, and a target that answers each in a way that can be foretold. */
import { hash } from 'node:crypto';
import { Agent, type IncomingMessage, request, type ServerResponse } from 'node:http';

export interface Sent {
  method: string;
  path: string;
  contentType: string;
  body: Buffer;
}

/** The request of a number. A few paths that get many, and many that get few. */
export function requestOf(n: number): Sent {
  const json = 'application/json';
  if (n % 3 === 0) {
    const project = {
      name: `N${n}`,
      languages: ['GO'],
      environments: [{ id: 1, name: 'A', isEnabled: true }],
    };
    const body = Buffer.from(JSON.stringify(project));
    return { method: 'PATCH', path: `/api/v2/accounts/current/projects/${n % 4}`, contentType: json, body };
  }
  if (n % 3 === 1) {
    return { method: 'GET', path: `/api/things/${n % 5}`, contentType: json, body: Buffer.alloc(0) };
  }
  return {
    method: 'POST',
    path: `/api/uploads/${n % 97}`,
    contentType: json,
    body: textOf(n, sizeOf(n + 1)),
  };
}

/** The body of a number's response: mostly small, at times large, at times with line feeds, at times no text. */
export function answerOf(n: number): Buffer {
  const text = textOf(n, sizeOf(n));
  if (n % 7 === 0) return Buffer.from(JSON.stringify(JSON.parse(text.toString()), null, 2));
  return n % 11 === 0 ? Buffer.concat([Buffer.from([0xff, 0x0a, 0x00]), text]) : text;
}

function sizeOf(n: number): number {
  return n % 29 === 0 ? 100_000 + ((n * 7919) % 300_000) : (n * 131) % 700;
}

function textOf(n: number, size: number): Buffer {
  const filler = hash('sha1', String(n), 'hex');
  return Buffer.from(
    JSON.stringify({ n, padding: filler.repeat(Math.ceil(size / filler.length)).slice(0, size) }),
  );
}

export function numberIn(query: string): number {
  return Number(/\bn=(\d+)/.exec(query)?.[1]);
}

/** The target's side. */
export function answer(req: IncomingMessage, res: ServerResponse): void {
  const n = numberIn(req.url ?? '');
  const body = answerOf(n);
  res.setHeader('content-type', n % 11 === 0 ? 'application/octet-stream' : 'application/json');
  if (n % 5 === 0) res.write(body.subarray(0, body.length >> 1));
  else res.setHeader('content-length', body.length);
  res.end(n % 5 === 0 ? body.subarray(body.length >> 1) : body);
}

/** The clients' side: each sends one request after the other on a connection of its own, until one fails. */
export class Clients {
  /** Numbers whose responses came whole. */
  readonly received: number[] = [];
  readonly #next: () => number;
  readonly #port: number;
  #isStopped = false;
  #onReceived: () => void = () => undefined;

  constructor(port: number, next: () => number) {
    this.#port = port;
    this.#next = next;
  }

  /** @returns resolves when none sends any more */
  async run(count: number, onReceived: () => void): Promise<void> {
    this.#onReceived = onReceived;
    this.#isStopped = false;
    await Promise.all(Array.from({ length: count }, () => this.#sendAll()));
  }

  stop(): void {
    this.#isStopped = true;
  }

  async #sendAll(): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    while (!this.#isStopped) {
      const n = this.#next();
      const body = await send(this.#port, agent, n);
      if (body === undefined) break;
      if (!body.equals(answerOf(n))) throw new Error(`another response than that of ${n}: ${body}`);
      this.received.push(n);
      this.#onReceived();
    }
    agent.destroy();
  }
}

/** @returns undefined where no whole response came */
function send(port: number, agent: Agent, n: number): Promise<Buffer | undefined> {
  const { method, path, contentType, body } = requestOf(n);
  return new Promise((resolve) => {
    const headers = {
      'content-type': contentType,
      ...(body.length > 0 && { 'content-length': body.length }),
    };
    const req = request(
      { host: '127.0.0.1', port, method, path: `${path}?n=${n}`, headers, agent },
      (res) => {
        const chunks: Buffer[] = [];
        res.on('data', (chunk: Buffer) => chunks.push(chunk));
        res.on('close', () =>
          resolve(res.complete && res.statusCode === 200 ? Buffer.concat(chunks) : undefined),
        );
        res.on('error', () => undefined);
      },
    );
    req.on('error', () => resolve(undefined));
    req.end(body);
  });
}
