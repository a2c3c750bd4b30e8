import type { Argv, CommandModule } from 'yargs';
import { messageOf, PatchgateError, systemCode } from '../errors.ts';
import { readAuthorities } from '../http/tls.ts';
import { type JsonValue, member } from '../json/json.ts';
import type { Approval, Decision } from '../model/approval.ts';
import { coloured, plain } from '../reporters/colours.ts';
import { firstEffects } from '../reporters/plan.ts';
import { amount, visible } from '../reporters/wording.ts';
import { CONTROL_ROOT } from '../server/control-path.ts';
import { printable } from '../server/printable.ts';
import { type Config, resolveConfig } from '../settings/config.ts';
import { SETTINGS } from '../settings/settings.ts';
import { once } from './given.ts';
import { flagsOf, formatOf, takesText, withSettings } from './options.ts';
import { isColoured, standardOutput } from './output.ts';
import { table } from './recordings/table.ts';

const TOKEN = 'PATCHGATE_CONTROL_TOKEN';
const NO_TLS = 'what listens there speaks no TLS: is it http://?';
const REASONS: Readonly<Record<string, string>> = {
  EPROTO: NO_TLS,
  ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
  UND_ERR_SOCKET: 'it closed the connection: is it https://?',
};
/** Milliseconds that a gate may take. */
const PATIENCE = 10_000;

export const list: CommandModule = {
  builder: (yargs) =>
    ofGate(yargs)
      .option('format', formatOf('Of the list', 'text', 'json'))
      .example('$0 approvals list', 'what waits at the gate of this machine')
      .example('$0 approvals list --gate https://gate.test', 'of another one'),
  handler: async (argv) => {
    const json = await askGate(await gateOf(argv), 'approvals');
    const isJson = argv.format === 'json';
    await print(isJson ? JSON.stringify(json, null, 2).split('\n').map(printable) : listLines(json));
  },
};

export const approve: CommandModule = deciding('approve', 'it goes');
export const decline: CommandModule = deciding('decline', 'no');

function deciding(decision: Decision, reason: string): CommandModule {
  return {
    builder: (yargs) =>
      ofGate(yargs)
        .positional('id', { type: 'string', demandOption: true, describe: 'As approvals list shows it' })
        .option('reason', takesText('Why; it stands in the audit'))
        .example(`$0 approvals ${decision} ID`, 'at the gate of this machine')
        .example(`$0 approvals ${decision} ID --reason "${reason}"`, 'and say why'),
    handler: async (argv) => {
      const id = String(argv.id);
      if (!/^[\w-]{1,100}$/.test(id))
        throw new PatchgateError('bad-usage', `${JSON.stringify(id)} is no id of an approval`, {
          hint: 'patchgate approvals list shows them',
        });
      const given = { decision, reason: once(argv, 'reason') };
      const one = (await askGate(await gateOf(argv), `approvals/${id}`, given)) as unknown as Approval;
      const next = `its client can send the PATCH again with its token, for ${leftOf(one)}`;
      const done = `${decision}d ${visible(one.id)}: ${requestOf(one)}`;
      await print([done, ...firstEffects(one, paint()), ...(decision === 'approve' ? [next] : [])]);
    },
  };
}

const ofGate = <T>(yargs: Argv<T>) =>
  withSettings(yargs, ['controlToken'])
    .option('gate', takesText('URL of the gate (default: host and port of the config)'))
    .option('ca', takesText("PEM file of the authorities that the gate's certificate may come from"));

const paint = () => (isColoured(process.stdout, process.env) ? coloured : plain);

const print = (lines: readonly string[]) => standardOutput().write(lines.map((line) => `${line}\n`).join(''));

interface AskedGate {
  url: string;
  token: string | undefined;
  /** Authorities of its certificate, in PEM. */
  ca: string | undefined;
}

async function gateOf(argv: Readonly<Record<string, unknown>>): Promise<AskedGate> {
  const { config } = await resolveConfig(flagsOf(argv));
  const { controlToken: token } = config;
  if (token !== undefined && !/^[\x21-\x7e]+$/.test(token))
    throw new PatchgateError('bad-usage', 'the token has spaces or other characters that no token has', {
      hint: `give it in ${TOKEN}`,
    });
  const file = once(argv, 'ca');
  const ca = file === undefined ? undefined : await readAuthorities(file, '--ca');
  return { url: urlOf(once(argv, 'gate'), config), token, ca };
}

/** Its origin: what a path leads to may be the service, which must not see the token. @throws PatchgateError `bad-usage`, without what may be a secret */
export function urlOf(given: string | undefined, { host, port, tlsCert }: Config): string {
  const address =
    { '0.0.0.0': '127.0.0.1', '::': '[::1]' }[host] ?? (host.includes(':') ? `[${host}]` : host);
  const own = `http${tlsCert === undefined ? '' : 's'}://${address}:${port || SETTINGS.port.default}`;
  const url = URL.canParse(given ?? own) ? new URL(given ?? own) : undefined;
  if (url && /^https?:$/.test(url.protocol) && url.pathname === '/' && !url.username && !url.password)
    return url.origin;
  throw new PatchgateError('bad-usage', '--gate: this is no URL of a gate', {
    hint: `give it as the gate says it at its start, without a path: --gate ${own}`,
  });
}

/**
 * Asks the control API of a running gate.
 *
 * @param decision is posted; without it, it is a GET
 * @throws PatchgateError if there is no gate, or if it refuses
 */
async function askGate({ url, token, ca }: AskedGate, path: string, decision?: object): Promise<JsonValue> {
  // fetch asks at no port that browsers keep clear of, and a gate may listen there.
  const { Agent, request } = await import('undici');
  const dispatcher = new Agent({ connect: { ...(ca !== undefined && { ca }) } });
  try {
    const { statusCode, body } = await request(`${url}${CONTROL_ROOT}/${path}`, {
      method: decision ? 'POST' : 'GET',
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(decision && { 'content-type': 'application/json' }),
      },
      body: decision ? JSON.stringify(decision) : null,
      signal: AbortSignal.timeout(PATIENCE),
      dispatcher,
    });
    const json = (await body.json().catch(() => undefined)) as JsonValue | undefined;
    const isOfGate = decision
      ? typeof member(json, 'id') === 'string'
      : Array.isArray(member(json, 'approvals'));
    if (statusCode === 200 && isOfGate) return json as JsonValue;
    throw refusalOf(statusCode, json, url);
  } catch (cause) {
    if (cause instanceof PatchgateError) throw cause;
    const isUntrusted = /CERT(?!_ALTNAME)|SIGNATURE/.test(systemCode(cause) ?? '');
    throw new PatchgateError(
      'target-unreachable',
      `no gate answers at ${url}: ${REASONS[systemCode(cause) ?? ''] ?? (messageOf(cause) || cause)}`,
      {
        hint: isUntrusted
          ? 'if you trust it, give the file of its authority: --ca FILE'
          : 'start it with patchgate proxy, or say where it listens: --gate URL',
        cause,
      },
    );
  } finally {
    void dispatcher.destroy();
  }
}

function refusalOf(status: number, json: JsonValue | undefined, url: string): PatchgateError {
  const detail = member(json, 'detail');
  const hint = status === 404 ? 'patchgate approvals list shows those there are' : member(json, 'hint');
  if (typeof detail !== 'string')
    return new PatchgateError('bad-usage', `${url} is no gate with approvals: it answers with ${status}`, {
      hint: 'say where the gate listens: --gate URL',
    });
  const isRefused = status === 401 || status === 403;
  const sent =
    status === 403
      ? `give the token of an approver in ${TOKEN}`
      : `give the control token, or as an approver your own, in ${TOKEN}`;
  return new PatchgateError(isRefused ? 'not-allowed' : 'bad-input', `the gate at ${url}: ${detail}`, {
    hint: isRefused || typeof hint !== 'string' ? sent : hint,
  });
}

/** What waits for a decision, the newest first. */
function listLines(json: JsonValue): string[] {
  const approvals = (member(json, 'approvals') ?? []) as unknown as Approval[];
  const pending = approvals.filter(({ status }) => status === 'pending');
  const others = approvals.length - pending.length;
  const over = others > 0 ? [`${others} decided or over: --format json lists all`] : [];
  if (pending.length === 0) return ['nothing waits for a decision', ...over];
  const rows = pending.map((one) => [
    visible(one.id),
    leftOf(one),
    visible(one.client ?? '-'),
    requestOf(one),
  ]);
  const [head = '', ...lines] = table([['id', 'left', 'client', 'request'], ...rows]);
  return [
    head,
    ...lines.flatMap((line, i) => [line, ...firstEffects(pending[i] as Approval, paint())]),
    '',
    `${amount(pending.length, 'decision')} to make: patchgate approvals approve ID, or patchgate approvals decline ID`,
    ...(member(json, 'approvers') === true
      ? [`only approvers decide, each with their own token in ${TOKEN}`]
      : []),
    ...over,
  ];
}

function leftOf({ expiresAt }: Approval): string {
  const seconds = Math.max(0, Math.floor((Date.parse(expiresAt) - Date.now()) / 1000));
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m`;
}

const requestOf = ({ method, url }: Approval) => visible(`${method} ${url}`);
