import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { messageOf, PatchgateError } from '../errors.ts';
import { PACKAGE_FOLDER } from '../version.ts';
import { createUiAccess, type UiAccessSettings } from './access.ts';
import { CONTROL_ROOT } from './control/control-path.ts';
import { failClosed, type Handler, inTurn } from './handler.ts';
import { type Listening, type ListenOptions, listen } from './listen/listen.ts';
import { problem, problemOfError, problemOfRefusal, sendProblem } from './problem.ts';
import { watchBody } from './watch-body.ts';

interface UiPortOptions
  extends Pick<ListenOptions, 'port' | 'clientTimeout'>,
    Pick<UiAccessSettings, 'token' | 'approvers'> {
  /** Answers what asks for the control API and may. */
  control: Handler;
}

const FILES: Readonly<Record<string, readonly [file: string, type: string]>> = {
  '/': ['index.html', 'text/html; charset=utf-8'],
  '/app.js': ['app.js', 'text/javascript; charset=utf-8'],
  '/style.css': ['style.css', 'text/css; charset=utf-8'],
};

/** The page loads from here alone, is in no frame, and makes nothing but text of a text. */
const POLICY = [
  ...["default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'"],
  ...["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
  ...["require-trusted-types-for 'script'", "trusted-types 'none'"],
];
const HEADERS = {
  'Content-Security-Policy': POLICY.join('; '),
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-store',
};

/**
 * Serves the inspector's page, and the control API for it, on another port: what the target serves through the gate has another origin.
 * It listens on loopback alone.
 *
 * @throws PatchgateError `cannot-listen`
 */
export async function listenForUi(options: UiPortOptions): Promise<Listening> {
  const { port, token, approvers, clientTimeout, control } = options;
  const access = createUiAccess({ token, approvers });

  const answer = (req: IncomingMessage, res: ServerResponse) => {
    for (const [name, value] of Object.entries(HEADERS)) res.setHeader(name, value);
    watchBody({ req, res }, clientTimeout, () => req.destroy());
    const [path = ''] = (req.url ?? '').split('?', 1);
    const isControl = path === CONTROL_ROOT || path.startsWith(`${CONTROL_ROOT}/`);
    const refusal = access(req, isControl ? 'control' : 'page');
    if (!refusal && isControl) return control(req, res);
    req.resume();
    if (refusal) sendProblem(res, problemOfRefusal(refusal));
    else void sendFile(path, req, res);
  };
  return listen(
    { request: inTurn(failClosed(answer)), unread: () => undefined },
    { host: '127.0.0.1', port, portFlag: '--ui', clientTimeout, notice: () => undefined },
  );
}

const files = new Map<string, Promise<Buffer>>();

/** Each file is read when it is first asked for. */
function contentOf(file: string): Promise<Buffer> {
  const known = files.get(file);
  if (known) return known;
  const read = readFile(`${PACKAGE_FOLDER}dist/ui/${file}`);
  files.set(file, read);
  // It may be there the next time.
  read.catch(() => files.delete(file));
  return read;
}

async function sendFile(path: string, { method }: IncomingMessage, res: ServerResponse): Promise<void> {
  const [file, type] = (Object.hasOwn(FILES, path) && FILES[path]) || [];
  if (file === undefined || type === undefined)
    return sendProblem(
      res,
      problem('not-found', 404, { detail: `the inspector has no ${path.slice(0, 200)}`, hint: 'GET /' }),
    );
  if (method !== 'GET' && method !== 'HEAD') {
    res.setHeader('Allow', 'GET, HEAD');
    return sendProblem(
      res,
      problem('bad-usage', 405, { detail: `${path} does not take ${method}`, hint: 'use GET' }),
    );
  }
  try {
    const content = await contentOf(file);
    res.writeHead(200, { 'Content-Type': type, 'Content-Length': content.length }).end(content);
  } catch (cause) {
    const message = `the inspector's page cannot be read: ${messageOf(cause)}`;
    sendProblem(res, problemOfError(new PatchgateError('internal', message, { cause })));
  }
}
