/** HTTP/1.1 over a bare socket: what is sent is what the test wrote, what came back is all that came. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectSecure } from 'node:tls';

export interface RawResponse {
  status: number;
  reason: string;
  /** In the order sent, names as sent. */
  headers: [name: string, value: string][];
  /** With the chunks put together. */
  body: Buffer;
  /** Heads of 1xx answers before it. */
  interim: number[];
  /** False: the connection closed before the framing said that it was over. */
  isWhole: boolean;
}

/** The values of a header, in the order sent. */
export function valuesOf(response: RawResponse, name: string): string[] {
  return response.headers
    .filter(([other]) => other.toLowerCase() === name.toLowerCase())
    .map(([, value]) => value);
}

export class RawConnection {
  readonly socket: Socket;
  #bytes: Buffer = Buffer.alloc(0);
  #isClosed = false;
  #changed: () => void = () => undefined;

  private constructor(socket: Socket) {
    this.socket = socket;
    const closed = () => {
      this.#isClosed = true;
      this.#changed();
    };
    socket.on('data', (chunk) => {
      this.#bytes = Buffer.concat([this.#bytes, chunk]);
      this.#changed();
    });
    for (const event of ['error', 'end', 'close']) socket.on(event, closed);
  }

  /** @param tls over TLS */
  static async open(port: number, tls?: ConnectionOptions): Promise<RawConnection> {
    const at = { port, host: '127.0.0.1' };
    const socket = tls ? connectSecure({ ...at, ...tls }) : connect({ ...at, allowHalfOpen: true });
    const connection = new RawConnection(socket);
    await once(socket, tls ? 'secureConnect' : 'connect');
    return connection;
  }

  write(bytes: string | Buffer): this {
    this.socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
    return this;
  }

  /** Bytes that came and belong to no response that was asked for yet. */
  get rest(): Buffer {
    return this.#bytes;
  }

  /** Resolves once the other end has closed the connection or its half of it. */
  async closed(): Promise<void> {
    while (!this.#isClosed) await this.#change();
  }

  /** Resolves once the text has come; the bytes stay. */
  async came(text: string): Promise<void> {
    while (!this.#bytes.includes(text)) {
      if (this.#isClosed) throw new Error(`closed without ${text}: ${this.#bytes}`);
      await this.#change();
    }
  }

  /** The next response. @param method that it answers: after HEAD there is no body */
  async response(method = 'GET'): Promise<RawResponse> {
    const interim: number[] = [];
    for (;;) {
      const text = (await this.#upTo('\r\n\r\n')).toString('latin1');
      const [first = '', ...lines] = text.split('\r\n');
      const [, status, reason = ''] = /^HTTP\/1\.[01] (\d{3}) ?(.*)$/s.exec(first) ?? [];
      if (status === undefined) throw new Error(`no response: ${text}`);
      const headers = lines.map((line): [string, string] => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon), line.slice(colon + 1).trim()];
      });
      const response = {
        status: Number(status),
        reason,
        headers,
        interim,
        body: Buffer.alloc(0),
        isWhole: true,
      };
      if (response.status < 200 && response.status !== 101) interim.push(response.status);
      else if (method === 'HEAD' || [101, 204, 304].includes(response.status)) return response;
      else return { ...response, ...(await this.#body(response)) };
    }
  }

  close(): void {
    this.socket.destroy();
  }

  async #body(response: RawResponse): Promise<{ body: Buffer; isWhole: boolean }> {
    const [length] = valuesOf(response, 'content-length');
    const parts: Buffer[] = [];
    try {
      if (valuesOf(response, 'transfer-encoding')[0]?.toLowerCase() === 'chunked') {
        let size: number;
        do {
          size = Number.parseInt((await this.#upTo('\r\n')).toString('latin1'), 16);
          parts.push(await this.#take(size));
          if (size > 0) await this.#take(2);
        } while (size > 0);
        while ((await this.#upTo('\r\n')).length > 0);
      } else {
        if (length === undefined) await this.closed();
        parts.push(await this.#take(length === undefined ? this.#bytes.length : Number(length)));
      }
    } catch {
      return { body: Buffer.concat([...parts, this.#bytes]), isWhole: false };
    }
    return { body: Buffer.concat(parts), isWhole: true };
  }

  async #upTo(mark: string): Promise<Buffer> {
    await this.came(mark);
    const bytes = await this.#take(this.#bytes.indexOf(mark));
    await this.#take(mark.length);
    return bytes;
  }

  async #take(size: number): Promise<Buffer> {
    while (this.#bytes.length < size) {
      if (this.#isClosed) throw new Error(`closed after ${this.#bytes.length} of ${size} bytes`);
      await this.#change();
    }
    const bytes = this.#bytes.subarray(0, size);
    this.#bytes = this.#bytes.subarray(size);
    return bytes;
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#changed = resolve;
    });
  }
}

export interface RawRequest {
  method?: string;
  path: string;
  /** Sent as written, after `Host`. */
  headers?: readonly (readonly [name: string, value: string])[];
  /** Gives the request a `Content-Length`. */
  body?: string | Buffer;
}

/** A request's bytes. `Host` goes first; `Content-Length` last, where there is a body. */
export function requestBytes({ method = 'GET', path, headers = [], body }: RawRequest): Buffer {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const lines = [
    `${method} ${path} HTTP/1.1`,
    'Host: gate.localhost',
    ...headers.map(([name, value]) => `${name}: ${value}`),
  ];
  if (bytes !== undefined) lines.push(`Content-Length: ${bytes.length}`);
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), bytes ?? Buffer.alloc(0)]);
}

/** One request on a connection of its own. */
export async function sendRaw(port: number, request: RawRequest | string | Buffer): Promise<RawResponse> {
  const connection = await RawConnection.open(port);
  try {
    const isText = typeof request === 'string' || Buffer.isBuffer(request);
    connection.write(isText ? request : requestBytes(request));
    const text = isText ? request.toString('latin1') : `${request.method ?? 'GET'} `;
    return await connection.response(text.slice(0, text.indexOf(' ')));
  } finally {
    connection.close();
  }
}
