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
    socket
      .on('error', () => undefined)
      .on('end', closed)
      .on('close', closed);
  }

  static async open(port: number): Promise<RawConnection> {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    const connection = new RawConnection(socket);
    await once(socket, 'connect');
    return connection;
  }

  /** Over TLS. */
  static async openSecure(port: number, options: ConnectionOptions): Promise<RawConnection> {
    const socket = connectSecure({ port, host: '127.0.0.1', ...options });
    const connection = new RawConnection(socket);
    await once(socket, 'secureConnect');
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
      const head = await this.#head();
      if (head.status >= 200 || head.status === 101) {
        const { body, isWhole } = await this.#body(head, method);
        return { ...head, body, isWhole, interim };
      }
      interim.push(head.status);
    }
  }

  close(): void {
    this.socket.destroy();
  }

  async #head(): Promise<Pick<RawResponse, 'status' | 'reason' | 'headers'>> {
    const text = (await this.#upTo('\r\n\r\n')).toString('latin1');
    const [first = '', ...lines] = text.split('\r\n');
    const [, status, reason = ''] = /^HTTP\/1\.[01] (\d{3}) ?(.*)$/s.exec(first) ?? [];
    if (status === undefined) throw new Error(`no response: ${text}`);
    const headers = lines.map((line): [string, string] => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1).trim()];
    });
    return { status: Number(status), reason, headers };
  }

  async #body(
    { status, headers }: Pick<RawResponse, 'status' | 'headers'>,
    method: string,
  ): Promise<{ body: Buffer; isWhole: boolean }> {
    const value = (name: string) => headers.find(([other]) => other.toLowerCase() === name)?.[1];
    if (method === 'HEAD' || status === 204 || status === 304 || status === 101)
      return { body: Buffer.alloc(0), isWhole: true };
    const parts: Buffer[] = [];
    try {
      if (value('transfer-encoding')?.toLowerCase() === 'chunked') {
        for (;;) {
          const size = Number.parseInt((await this.#upTo('\r\n')).toString('latin1'), 16);
          if (size === 0) break;
          parts.push(await this.#take(size));
          await this.#take(2);
        }
        while ((await this.#upTo('\r\n')).length > 0);
      } else if (value('content-length') !== undefined) {
        parts.push(await this.#take(Number(value('content-length'))));
      } else {
        await this.closed();
        parts.push(await this.#take(this.#bytes.length));
      }
    } catch {
      return { body: Buffer.concat([...parts, this.#bytes]), isWhole: false };
    }
    return { body: Buffer.concat(parts), isWhole: true };
  }

  async #upTo(mark: string): Promise<Buffer> {
    await this.came(mark);
    const end = this.#bytes.indexOf(mark);
    const bytes = await this.#take(end);
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
