import { randomBytes } from 'node:crypto';
import { type IncomingMessage, METHODS, request } from 'node:http';
import { messageOf, PatchgateError } from '../../errors.ts';
import { readDescribedRequest } from '../../http/described-request.ts';
import { HOP_BY_HOP, type RequestHead, withoutHeaders } from '../../http/http.ts';
import { isObject } from '../../json/json.ts';
import { REDACTED } from '../../recordings/redaction/redacted.ts';
import { readBytes } from '../../upstreams/read-bytes.ts';
import type { ExchangeList } from '../exchange-list.ts';
import type { Handler } from '../handler.ts';
import type { Listening } from '../listen/listen.ts';
import { problem, problemOfError, sendProblem } from '../problem.ts';
import type { ShownExchange } from '../show-exchange.ts';
import { isControlPath } from './control-path.ts';
import { readJson } from './read-dry-run.ts';

export interface SendDeps {
  /** A request that is sent takes the way of any client's. */
  dataPort: Pick<Listening, 'url' | 'connect'>;
  /** Bytes of a body that is judged. */
  bodyLimit(): number;
  exchanges: ExchangeList;
}

/** Names the request among those that go by meanwhile. It does not go to the target, as no header of Patchgate's. */
const MARK = 'patchgate-sent';

const EXAMPLE =
  'send {"method": "PATCH", "url": "/api/v2/…", "headers": {"content-type": "application/json"}, "body": "{…}"}, the body as exact text';

/** `POST send`: sends a request to the gate itself, and answers with what came of it, as the list of exchanges has it. */
export function createSend({ dataPort, bodyLimit, exchanges }: SendDeps): Handler {
  return (req, res) => {
    if (req.method !== 'POST') {
      req.resume();
      res.setHeader('Allow', 'POST');
      const detail = `${req.url} does not take ${req.method}`;
      return sendProblem(res, problem('bad-usage', 405, { detail, hint: 'use POST' }));
    }
    const gone = new AbortController();
    res.on('close', () => gone.abort());
    // The body comes as a JSON text or in base64, where it is longer than by itself.
    readBytes(req, 2 * bodyLimit() + 65_536, async (bytes) => {
      if (bytes === undefined) return;
      try {
        if (bytes === 'too-large') throw new PatchgateError('request-too-large', 'the input is too large');
        const sent = await send(readRequest(bytes), dataPort, exchanges, gone.signal);
        const body = Buffer.from(JSON.stringify(sent));
        res.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': body.length }).end(body);
      } catch (error) {
        req.resume();
        sendProblem(res, problemOfError(asError(error)));
      }
    });
  };
}

interface ToSend extends RequestHead {
  body: Buffer;
}

/** @throws PatchgateError `bad-input` */
function readRequest(bytes: Buffer): ToSend {
  const bad = (message: string, hint = EXAMPLE) => new PatchgateError('bad-input', message, { hint });
  const input = readJson(bytes, EXAMPLE);
  if (!isObject(input)) throw bad('the input is not a JSON object');
  const { method, url, headers, body, bodyMember } = readDescribedRequest(input, (pointer, what) =>
    bad(`${pointer} ${what}`.trim()),
  );
  if (!METHODS.includes(method) || method === 'CONNECT')
    throw bad(
      `/method ${JSON.stringify(method.slice(0, 40))} cannot be sent`,
      'PATCH, GET, PUT, POST, DELETE',
    );
  if (isControlPath(url))
    throw bad('/url is one of the control API, which is asked by itself', 'give a path of the service');
  // What was hidden from who looked is not known here, either: the target would take the placeholder for the value.
  const brackets = url.replace(/%5b/gi, '[').replace(/%5d/gi, ']');
  for (const [name, text] of [
    ['url', brackets],
    [bodyMember, body],
  ] as const)
    if (text.includes(REDACTED))
      throw bad(
        `/${name} has ${REDACTED} in it`,
        'write the value itself in its place, or leave the member out',
      );
  const isHidden = (index: number) => headers[index - (index % 2) + 1]?.includes(REDACTED);
  const given = headers.filter((_, index) => !isHidden(index));
  const isText = bodyMember !== 'bodyBase64';
  return { method, url, headers: withoutHeaders(given, (name) => isMadeAnew(name, isText)), body };
}

/** Those of the connection; and of a body that is shown, and so given, without its coding. */
function isMadeAnew(name: string, isText: boolean): boolean {
  return (
    HOP_BY_HOP.has(name) ||
    ['host', 'content-length', 'expect', MARK].includes(name) ||
    (isText && name === 'content-encoding')
  );
}

interface Sent {
  status: number;
  headers: NonNullable<ShownExchange['response']>['headers'];
  body?: NonNullable<ShownExchange['response']>['body'];
  /** Its id in the list of exchanges. Absent where that has forgotten it already. */
  exchange?: number;
}

/** @throws PatchgateError where there is no answer */
async function send(
  { method, url, headers, body }: ToSend,
  dataPort: SendDeps['dataPort'],
  exchanges: ExchangeList,
  signal: AbortSignal,
): Promise<Sent> {
  const mark = randomBytes(4).toString('hex');
  let id: number | undefined;
  const unsubscribe = exchanges.subscribe((shown) => {
    if (shown.request.headers[MARK] === mark) id = shown.id;
  });
  try {
    const status = await statusOf(dataPort, signal, {
      ...{ method, path: url, body },
      headers: [
        ...['host', new URL(dataPort.url).host, ...headers, MARK, mark],
        ...(body.length > 0 || BODY_EXPECTED.has(method) ? ['content-length', String(body.length)] : []),
      ],
    });
    const shown = id === undefined ? undefined : exchanges.get(id)?.response;
    return { status, headers: {}, ...shown, ...(id !== undefined && { exchange: id }) };
  } finally {
    unsubscribe();
  }
}

const BODY_EXPECTED: ReadonlySet<string> = new Set(['PATCH', 'POST', 'PUT']);

/** Resolves once the whole answer is there. */
function statusOf(
  { connect }: SendDeps['dataPort'],
  signal: AbortSignal,
  { method, path, headers, body }: { method: string; path: string; headers: string[]; body: Buffer },
): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = request({ method, path, headers, signal, createConnection: connect });
    asked.on('error', reject);
    asked.on('response', (response: IncomingMessage) => {
      response.on('end', () => resolve(response.statusCode as number));
      response.on('error', reject).resume();
    });
    asked.end(body);
  });
}

function asError(thrown: unknown): PatchgateError {
  if (thrown instanceof PatchgateError) return thrown;
  return new PatchgateError('target-unreachable', `the request got no whole answer: ${messageOf(thrown)}`, {
    hint: 'the list of exchanges says why',
  });
}
