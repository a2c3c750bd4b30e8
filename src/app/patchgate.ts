import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { messageOf } from '../errors.ts';
import { type KeyPair, readKeyPair } from '../http/tls.ts';
import { RECORD_KINDS } from '../model/record.ts';
import type { RecordingStore } from '../recordings/store.ts';
import { createAccess, readNamedTokens } from '../server/access.ts';
import type { Handler } from '../server/connections.ts';
import { CONTROL_ROOT, isControlPath } from '../server/control-path.ts';
import { createDataPath } from '../server/data-path.ts';
import { type Handlers, type Listening, listen } from '../server/listen.ts';
import { ownFault, problemOfError, sendProblem } from '../server/problem.ts';
import { quotingNoSecrets } from '../server/redact-verdict.ts';
import { createUpgradePath } from '../server/upgrade-path.ts';
import type { Config } from '../settings/config.ts';
import { secretsOf } from '../upstreams/outgoing.ts';
import { gateOf } from './gate.ts';
import { guardOf } from './guard.ts';
import {
  MODES,
  Opened,
  openDatabaseOf,
  type RuntimeContext,
  recordMode,
  rulesOf,
  type ServerKind,
} from './modes.ts';
import { createRun, type Parts, type Run } from './run.ts';

/** A server that runs. */
export type Patchgate = Awaited<ReturnType<typeof createPatchgate>>;

/** Puts the parts together, and listens: the only place that knows them all. @throws PatchgateError of what cannot start */
export async function createPatchgate(asked: ServerKind, given: Config, context: RuntimeContext) {
  const { env, notice } = context;
  const approvers = readNamedTokens(given.approvers, env, '--approvers');
  const rules = rulesOf(given, [...secretsOf(given.setHeader, env), ...approvers.keys()]);
  const tls = await readKeyPair('--tls', given.tlsCert, given.tlsKey);
  const opened = new Opened();
  try {
    const database = asked === 'fake' ? undefined : opened.add(await openDatabaseOf(given, notice));
    const shared = { ...context, rules, database, approvers, opened };
    const record = asked === 'proxy' ? await recordMode({ ...shared, config: given }, env) : undefined;
    const kind = record === 'none' ? 'replay' : asked;
    const config = { ...given, record };
    // Only changes of a real service are audited, and nothing can be lost in a recording.
    if (kind !== 'proxy') config.audit = undefined;
    if (kind === 'replay') config.guard = 'off';
    const gate = quotingNoSecrets(await gateOf(config, false, notice), rules.redaction);
    if (!RECORD_KINDS.some(gate.guards)) config.guard = 'off';
    const setup = { ...shared, kind, config, gate };
    const backend = await MODES[kind](setup);
    const parts = { ...setup, ...backend, ...(await guardOf(setup, backend)) };
    const run = opened.add(createRun(parts));
    if (backend.replay && backend.store) await lookAt(backend.store, run, notice);
    const { close: stop, ...at } = await listenFor(parts, run, tls);
    // To stop ends what listens, and requests in flight finish; to close writes out and frees everything, too.
    return { ...backend, ...run, ...at, guard: config.guard, stop, close: () => opened.close() };
  } catch (error) {
    await opened.close();
    throw error;
  }
}

/** Listens, on another port for the page. */
async function listenFor(parts: Parts, run: Run, tls: KeyPair | undefined): Promise<Listening> {
  const { config, notice, forward, opened, clientTimeout } = parts;
  const { host, port, ui, controlToken } = config;
  const servers: Listening[] = [];
  let closed: Promise<unknown> | undefined;
  const close = async () => {
    // A stream of events would go on for ever; nothing goes on waiting for a fault alone.
    run.stopping.abort();
    closed ??= Promise.all(servers.map((server) => server.close()));
    await closed;
  };
  opened.add({ close });
  const control = controlOf(parts, run);
  const handlers = handlersOf(parts, run, control, () => own.isLoopback);
  const target = forward && config.target;
  const own: Listening = await listen(handlers, { host, port, clientTimeout, tls, target });
  servers.push(own);
  run.url = own.url;
  if (!own.isLoopback && controlToken === undefined)
    notice(`beyond loopback, the control API (${CONTROL_ROOT}/) is off without PATCHGATE_CONTROL_TOKEN`);
  if (ui !== undefined) servers.push(await openPage(ui, parts, control));
  return { ...own, close };
}

/** The page's token counts on its port alone. */
async function openPage(port: number, { config, notice, approvers }: Parts, control: Handler) {
  const token = config.controlToken ?? randomBytes(16).toString('hex');
  const { listenForUi } = await import('../server/ui-port.ts');
  const page = await listenForUi(port, new Map([...approvers, [token, 'page']]), control);
  // A token that was given is known, and no notice shows it.
  const way = token === config.controlToken ? ' (it asks for the control token)' : `#token=${token}`;
  notice(`inspector: ${page.url}/${way}`);
  return page;
}

/** Sends each request to the control API or on the data path, if it has access. */
function handlersOf(parts: Parts, run: Run, control: Handler, isOnLoopback: () => boolean): Handlers {
  const { config, gate, forward, approvers } = parts;
  const access = createAccess({ ...config, approvers });
  const dataPath = createDataPath({ ...parts, ...run, timeout: config.timeout });
  const upgradePath = forward && createUpgradePath(gate, forward, run);
  return {
    request(req, res) {
      const asked = isControlPath(req.url ?? '') ? 'control' : 'target';
      const refusal = access(req, asked, isOnLoopback());
      if (refusal || asked === 'target') dataPath(req, res, refusal);
      else control(req, res);
    },
    // What may not ask is read again as an ordinary request, and refused.
    upgrade: (req, socket, head) =>
      !isControlPath(req.url ?? '') &&
      !access(req, 'target', isOnLoopback()) &&
      upgradePath?.(req, socket, head) === true,
    unread: run.onUnread,
  };
}

/** Loads the control API when it is first asked for: Express takes as long to load as all the rest. */
function controlOf(parts: Parts, run: Run): Handler {
  let control: Promise<Handler> | undefined;
  return (req, res) => {
    control ??= import('../server/control.ts').then(({ createControl }) => createControl({ ...parts, run }));
    control.then(
      (handle) => handle(req, res),
      (error) => sendProblem(res, problemOfError(ownFault(error))),
    );
  };
}

/** Milliseconds in which a recording is looked at before the first request. */
const LOOK_MS = 1000;

/** Looks at every file, for a second before the first request comes, and at the rest between requests. */
async function lookAt(store: RecordingStore, run: Run, notice: RuntimeContext['notice']): Promise<void> {
  const loaded = store.load();
  await Promise.race([loaded, setTimeout(LOOK_MS, undefined, { ref: false })]);
  loaded.catch((error) => {
    notice(messageOf(error));
    run.fail(messageOf(error));
  });
}
