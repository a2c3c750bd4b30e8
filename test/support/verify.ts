/** `patchgate verify` in this process, against a target whose answers a test changes. */

import { judgingGate } from '../../src/app/compose-gate.ts';
import { runVerify, type VerifyArgs } from '../../src/commands/verify/run-verify.ts';
import { resolveConfig } from '../../src/settings/config.ts';
import { COMMAND_DEFAULTS } from '../../src/settings/settings.ts';
import { startTarget, type Target } from './target.ts';

export interface Live {
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
  /** It answers nothing, or half, and no more. */
  breaks?: true;
  stalls?: true;
}

/** A target that answers each path, with its query, as the table says. */
export async function startLive(answers: Record<string, Live>): Promise<Target> {
  return startTarget((req, res) => {
    const answer = answers[req.url ?? ''] ?? { status: 404, body: {} };
    const { status = 200, headers, body, breaks, stalls } = answer;
    if (breaks) {
      req.socket.destroy();
      return;
    }
    res.writeHead(status, headers ?? { 'content-type': 'application/json' });
    if (stalls) res.write('{');
    else res.end(Buffer.isBuffer(body) || typeof body === 'string' ? body : JSON.stringify(body));
  });
}

interface Verified {
  code: number;
  /** As it is printed. */
  text: string;
  notices: string[];
  /** What the progress line showed, one after the other; `""` where it was taken off. */
  shown: string[];
}

/** @param flags settings, as flags would give them. @param folder that of the recordings */
export async function verify(
  folder: string,
  target: string,
  flags: Record<string, unknown> = {},
  { stopped = new AbortController().signal, ...args }: Partial<VerifyArgs> & { stopped?: AbortSignal } = {},
): Promise<Verified> {
  const given = { recordings: folder, recording: 'x', target, ...flags };
  const { config } = await resolveConfig(given, COMMAND_DEFAULTS.verify, {}, folder);
  let text = '';
  const notices: string[] = [];
  const shown: string[] = [];
  const code = await runVerify(
    { config, headers: [], patches: [], ...args },
    {
      output: {
        async write(piece) {
          text += piece;
          return true;
        },
      },
      notice: (notice) => void notices.push(notice),
      progress: { show: (line) => void shown.push(line()), clear: () => void shown.push('') },
      stopped,
    },
    () => judgingGate(config),
  );
  return { code, text, notices, shown };
}
