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

export interface Verified {
  code: number;
  /** As `-f json` has it. */
  report: {
    summary: Record<string, number>;
    remarks?: { severity: string; message: string }[];
    files: {
      file: string;
      subjects: { pointer: string; findings: FoundDrift[] }[];
      skipped?: { pointer: string; why: string }[];
    }[];
  };
  /** `error drift.removed /name` of each finding, in the order of files. */
  found: string[];
  notices: string[];
  /** What the progress line showed, one after the other; `""` where it was taken off. */
  shown: string[];
}

interface FoundDrift {
  rule: string;
  severity: string;
  pointer: string;
  message: string;
  line?: number;
  column?: number;
  excuse?: { by: string };
}

/** @param flags settings, as flags would give them. @param folder that of the recordings */
export async function verify(
  folder: string,
  target: string,
  flags: Record<string, unknown> = {},
  args: Partial<VerifyArgs> & { stopped?: AbortSignal } = {},
): Promise<Verified> {
  const { stopped = new AbortController().signal, ...others } = args;
  const given = { recordings: folder, recording: 'x', target, ...flags };
  const { config } = await resolveConfig(given, COMMAND_DEFAULTS.verify, {}, folder);
  let text = '';
  const notices: string[] = [];
  const shown: string[] = [];
  const code = await runVerify(
    {
      config,
      selection: {},
      headers: [],
      isUnsafe: false,
      updates: false,
      outputs: [{ format: 'json' }],
      ...others,
    },
    {
      stdout: (piece) => {
        text += piece;
      },
      notice: (notice) => void notices.push(notice),
      progress: { show: (line) => void shown.push(line()), clear: () => void shown.push('') },
      cwd: folder,
      today: '2026-11-21',
      stopped,
    },
    () => judgingGate(config),
  );
  const report = JSON.parse(text) as Verified['report'];
  const found = report.files.flatMap(({ subjects }) =>
    subjects.flatMap(({ findings }) =>
      findings.map(({ severity, rule, pointer }) => [severity, rule, pointer].join(' ').trim()),
    ),
  );
  return { code, report, found, notices, shown };
}
