import express from 'express';
import { PACKAGE_FOLDER } from '../version.ts';
import { type NamedTokens, refusedByUi } from './access.ts';
import type { Handler } from './connections.ts';
import { CONTROL_ROOT } from './control-path.ts';
import { type Listening, listen } from './listen.ts';
import { problem, problemOfError, sendProblem } from './problem.ts';

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

/** Serves the page and its control API on another port of loopback, so that what the target serves has another origin. @param tokens each opens the control API */
export async function listenForUi(port: number, tokens: NamedTokens, control: Handler): Promise<Listening> {
  const app = express();
  app.disable('x-powered-by').disable('etag');
  app.use((req, res, next) => {
    res.set(HEADERS);
    const isControl = `${req.path}/`.startsWith(`${CONTROL_ROOT}/`);
    const refusal = refusedByUi(req, isControl ? 'control' : 'page', tokens);
    if (refusal) sendProblem(res, problemOfError(refusal));
    else if (isControl) control(req, res);
    else next();
  });
  app.use(express.static(`${PACKAGE_FOLDER}dist/ui`, { cacheControl: false, etag: false, redirect: false }));
  app.use((req, res) => {
    const detail = `the inspector has no ${req.method} ${req.path.slice(0, 200)}`;
    sendProblem(res, problem('not-found', 404, { detail, hint: 'GET /' }));
  });
  const handlers = { request: app, unread: () => undefined };
  return listen(handlers, { host: '127.0.0.1', port });
}
