import type { Argv, CommandModule } from 'yargs';
import { messageOf, PatchgateError, systemCode } from '../errors.ts';
import { readAuthorities } from '../http/tls.ts';
import { type JsonValue, member } from '../json/json.ts';
import type { Approval, Decision } from '../model/approval.ts';
import { coloured, plain } from '../reporters/colours.ts';
import { firstEffects } from '../reporters/plan.ts';
import { amount, grouped, visible } from '../reporters/wording.ts';
import { CONTROL_ROOT } from '../server/control/control-path.ts';
import { printable } from '../server/printable.ts';
import { type Config, resolveConfig } from '../settings/config.ts';
import { SETTINGS } from '../settings/settings.ts';
import { once } from './given.ts';
import { flagsOf, formatOf, takesText, withSettings } from './options.ts';
import { isColoured, standardOutput } from './output.ts';
import { ageText, table } from './recordings/units.ts';

const TOKEN_VARIABLE = 'PATCHGATE_CONTROL_TOKEN';

export const list: CommandModule = {
  builder: (yargs) =>
    ofGate(yargs)
      .option('format', formatOf('Of the list', 'text', 'json'))
      .example('$0 approvals list', 'what waits at the gate of this machine')
      .example(
        '$0 approvals list --gate https://gate.example.com --format json',
        'of another one, for a program',
      )
      .epilogue('Exit codes: 0 listed, also where nothing waits, 2 the gate did not answer.'),
  handler: async (argv) => {
    const { json, now } = await askGate(await gateOf(argv), 'approvals');
    const format = once('format', argv.format as string | string[]);
    const text = format === 'json' ? jsonText(json) : listText(listOf(json), now, hasColours());
    await standardOutput().write(text);
  },
};

export const approve: CommandModule = deciding('approve');
export const decline: CommandModule = deciding('decline');

function deciding(decision: Decision): CommandModule {
  return {
    builder: (yargs) =>
      ofGate(yargs)
        .positional('id', {
          type: 'string',
          demandOption: true,
          describe: 'As patchgate approvals list shows it',
        })
        .option('reason', takesText('Why; it stands in the audit'))
        .example(`$0 approvals ${decision} k3f9x2ab`, 'at the gate of this machine')
        .example(`$0 approvals ${decision} k3f9x2ab --reason "${REASONS[decision]}"`, 'and say why')
        .epilogue(
          'Exit codes: 0 done, 2 could not: no gate, not allowed, no such approval, decided already.',
        ),
    handler: async (argv) => {
      const id = String(argv.id);
      if (!/^[\w-]{1,100}$/.test(id)) {
        throw new PatchgateError('bad-usage', `${JSON.stringify(id)} is no id of an approval`, {
          hint: 'patchgate approvals list shows them',
        });
      }
      const reason = once('reason', argv.reason as string | string[] | undefined);
      const { json, now } = await askGate(await gateOf(argv), `approvals/${id}`, { decision, reason });
      await standardOutput().write(decidedText(approvalOf(json), decision, now, hasColours()));
    },
  };
}

const REASONS = { approve: 'the sandbox goes', decline: 'Production stays' };

function ofGate<T>(yargs: Argv<T>): Argv<T> {
  return withSettings(yargs, ['controlToken'])
    .option(
      'gate',
      takesText('URL of the gate', { defaultDescription: 'as host and port of the config say' }),
    )
    .option(
      'ca',
      takesText("PEM file of the authorities that the gate's certificate may come from"),
    ) as unknown as Argv<T>;
}

const hasColours = () => isColoured(process.stdout, process.env);

interface AskedGate {
  url: string;
  token: string | undefined;
  /** Authorities of its certificate, in PEM. */
  ca?: string | undefined;
}

async function gateOf(argv: Readonly<Record<string, unknown>>): Promise<AskedGate> {
  const { config } = await resolveConfig(flagsOf(argv));
  const { controlToken: token } = config;
  if (token !== undefined && !/^[\x21-\x7e]+$/.test(token)) {
    throw new PatchgateError('bad-usage', 'the token has spaces or other characters that no token has', {
      hint: `give it in ${TOKEN_VARIABLE}`,
    });
  }
  const text = (name: string) => once(name, argv[name] as string | string[] | undefined);
  const file = text('ca');
  const ca = file === undefined ? undefined : await readAuthorities(file, '--ca');
  return { url: urlOf(text('gate'), config), token, ca };
}

const EVERYWHERE = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '::1'],
]);

/** Without a slash at its end. @throws PatchgateError `bad-usage`, without what may be a secret */
export function urlOf(given: string | undefined, { host, port, tlsCert }: Config): string {
  const address = EVERYWHERE.get(host) ?? host;
  const name = address.includes(':') ? `[${address}]` : address;
  const own = `${tlsCert === undefined ? 'http' : 'https'}://${name}:${port || SETTINGS.port.default}`;
  const text = given ?? own;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && !url.username && !url.password)
    return url.origin + url.pathname.replace(/\/+$/, '');
  const shown = /[@#]/.test(text) ? 'what is given' : JSON.stringify(text);
  throw new PatchgateError('bad-usage', `--gate: ${shown} is no URL of a gate`, {
    hint: `give it as the gate says it at its start: --gate ${own}`,
  });
}

/** Milliseconds that a gate may take. */
const PATIENCE = 10_000;

/**
 * Asks the control API of a running gate.
 *
 * @param decision is posted; without it, it is a GET
 * @returns what it answers, and the time by its clock
 * @throws PatchgateError where there is no gate, or where it refuses
 */
export async function askGate(
  { url, token, ca }: AskedGate,
  path: string,
  decision?: object,
): Promise<{ json: JsonValue; now: number }> {
  // fetch asks at no port that browsers keep clear of, and a gate may listen there.
  const { Agent, request } = await import('undici');
  const dispatcher = new Agent({ connect: { ...(ca !== undefined && { ca }) } });
  let answer: { status: number; date: unknown; text: string };
  try {
    const { statusCode, headers, body } = await request(`${url}${CONTROL_ROOT}/${path}`, {
      method: decision ? 'POST' : 'GET',
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(decision && { 'content-type': 'application/json' }),
      },
      body: decision ? JSON.stringify(decision) : null,
      signal: AbortSignal.timeout(PATIENCE),
      dispatcher,
    });
    answer = { status: statusCode, date: headers.date, text: await body.text() };
  } catch (cause) {
    const message = `no gate answers at ${url}: ${messageOf(cause) || systemCode(cause)}`;
    throw new PatchgateError('target-unreachable', message, {
      hint: hintFor(cause),
      cause,
    });
  } finally {
    void dispatcher.destroy();
  }
  const { status, date, text } = answer;
  const json = jsonOf(text);
  if (status === 200 && json !== undefined) return { json, now: Date.parse(String(date)) || Date.now() };
  throw refusalOf(status, json, { url, token });
}

function hintFor(cause: unknown): string {
  const code = systemCode(cause) ?? '';
  if (/CERT|SIGNATURE/.test(code)) return 'if you trust it, give the file of its authority: --ca FILE';
  return 'start it with patchgate proxy, or say where it listens: --gate URL';
}

function jsonOf(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function refusalOf(status: number, json: JsonValue | undefined, { url, token }: AskedGate): PatchgateError {
  const [detail, hint] = ['detail', 'hint'].map((name) => {
    const value = member(json, name);
    return typeof value === 'string' ? value : undefined;
  });
  if (detail === undefined) {
    return new PatchgateError(
      'bad-usage',
      `${url} is no gate with approvals: it answers with the status ${status}`,
      {
        hint: 'say where the gate listens: --gate URL',
      },
    );
  }
  if (status === 401) {
    const why = token === undefined ? 'needs a token' : 'does not know the token';
    return new PatchgateError('not-allowed', `the gate at ${url} ${why}`, {
      hint: `give the control token, or as an approver your own, in ${TOKEN_VARIABLE}`,
    });
  }
  const message = `the gate at ${url}: ${detail}`;
  if (status !== 403) return new PatchgateError('bad-input', message, hint === undefined ? {} : { hint });
  const sent = `(patchgate sends the token in ${TOKEN_VARIABLE})`;
  return new PatchgateError('not-allowed', message, { hint: `${hint ?? 'it needs another token'} ${sent}` });
}

interface List {
  approvals: Approval[];
  /** Only they can decide. */
  approvers: boolean;
}

/** @throws PatchgateError where it is no list of approvals */
export function listOf(json: JsonValue): List {
  const list = member(json, 'approvals');
  if (!Array.isArray(list)) throw notUnderstood();
  return { approvals: list.map(approvalOf), approvers: member(json, 'approvers') === true };
}

/** All of it that is shown stands there. */
function approvalOf(json: JsonValue): Approval {
  const isText = (name: string) => typeof member(json, name) === 'string';
  const effects = member(json, 'effects');
  if (['id', 'status', 'method', 'url', 'requestedAt', 'expiresAt'].every(isText) && Array.isArray(effects))
    return json as unknown as Approval;
  throw notUnderstood();
}

function notUnderstood(): PatchgateError {
  return new PatchgateError('bad-input', 'what answers is no list of approvals, or that of another version', {
    hint: 'use the version of Patchgate that the gate runs',
  });
}

export function jsonText(json: JsonValue): string {
  return linesOf(JSON.stringify(json, null, 2).split('\n').map(printable));
}

const COLUMNS = ['id', 'left', 'asked', 'client', 'request'];

/** What waits for a decision, the newest first. @param now by the gate's clock */
export function listText({ approvals, approvers }: List, now: number, isColoured: boolean): string {
  const pending = approvals.filter(({ status }) => status === 'pending');
  const others = approvals.length - pending.length;
  const over = others > 0 ? [`${grouped(others)} decided or over: --format json lists all`] : [];
  if (pending.length === 0) return linesOf(['nothing waits for a decision', ...over]);
  const rows = pending.map((one) => [
    visible(one.id),
    ageText(Date.parse(one.expiresAt) - now),
    `${ageText(now - Date.parse(one.requestedAt))} ago`,
    visible(one.client ?? '-'),
    requestText(one),
  ]);
  const [head, ...lines] = table([COLUMNS, ...rows], []);
  const paint = isColoured ? coloured : plain;
  const most = pending.length === 1 ? Number.POSITIVE_INFINITY : undefined;
  const all = lines.flatMap((line, i) => [line, ...firstEffects(pending[i] as Approval, paint, most)]);
  return linesOf([
    ...[head as string, ...all, ''],
    `${amount(pending.length, 'decision')} to make: patchgate approvals approve ID, or patchgate approvals decline ID`,
    ...(approvers ? [`only approvers decide, each with their own token in ${TOKEN_VARIABLE}`] : []),
    ...over,
  ]);
}

function linesOf(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

/** `approved k3f9x2ab: PATCH /…`, what it loses, and what comes of it. */
export function decidedText(one: Approval, decision: Decision, now: number, isColoured: boolean): string {
  const done = decision === 'approve' ? 'approved' : 'declined';
  const next = decision === 'approve' ? [whatNext(one, now)] : [];
  const lost = firstEffects(one, isColoured ? coloured : plain);
  const lines = [`${done} ${visible(one.id)}: ${requestText(one)}`, ...lost, ...next];
  return linesOf(lines);
}

function whatNext({ expiresAt }: Approval, now: number): string {
  return `its client can send the PATCH again with its token, for ${ageText(Date.parse(expiresAt) - now)}`;
}

function requestText({ method, url }: Approval): string {
  return visible(`${method} ${url}`);
}
