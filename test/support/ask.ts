/** Node's own client, on connections that stay open. */
import { type Agent, type IncomingHttpHeaders, request } from 'node:http';

export interface Asked {
  method: string;
  path: string;
  headers?: Readonly<Record<string, string>>;
  body?: string | Buffer;
}

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** @returns undefined if no whole answer came within half a minute */
export function ask(port: number, agent: Agent, { body, ...asked }: Asked): Promise<Answer | undefined> {
  return new Promise((resolve) => {
    const sent = request({ host: '127.0.0.1', port, agent, timeout: 30_000, ...asked }, (res) => {
      const chunks: Buffer[] = [];
      res.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', () => undefined);
      res.on('close', () => {
        const { statusCode = 0, headers } = res;
        resolve(res.complete ? { status: statusCode, headers, body: Buffer.concat(chunks) } : undefined);
      });
    });
    sent.on('timeout', () => sent.destroy()).on('error', () => resolve(undefined));
    sent.end(body);
  });
}
