import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { shippedContract } from '../contract/shipped-contract.ts';
import { messageOf } from '../errors.ts';
import { type KeyPair, readKeyPair } from '../http/tls.ts';
import type { RecordingStore } from '../recordings/store.ts';
import { createAccess, readNamedTokens } from '../server/access.ts';
import type { Handler } from '../server/connections.ts';
import { CONTROL_ROOT, isControlPath } from '../server/control-path.ts';
import { createDataPath } from '../server/data-path.ts';
import type { ExchangeFilter } from '../server/exchange-list.ts';
import { type Handlers, type Listening, listen } from '../server/listen.ts';
import { ownFault, problemOfError, sendProblem } from '../server/problem.ts';
import { quotingNoSecrets } from '../server/redact-verdict.ts';
import type { ShownExchange } from '../server/show-exchange.ts';
import { createUpgradePath } from '../server/upgrade-path.ts';
import type { Config } from '../settings/config.ts';
import { secretsOf } from '../upstreams/outgoing.ts';
import type { Unserved } from '../upstreams/replay/unserved.ts';
import { gateOf } from './gate.ts';
import { guardOf } from './guard.ts';
import { MODES, Opened, type RuntimeContext, type ServerKind } from './modes.ts';
import { openDatabaseOf, openOutbox, recordMode, rulesOf } from './recording.ts';
import { createRun, type Parts, type Run } from './run.ts';

/** A server that runs. */
export interface Patchgate extends Pick<Run, 'faults' | 'misses'>, Pick<Listening, 'url' | 'isLoopback'> {
  /** What it does, for people: `forwards to https://…, records into "checkout" (all)`. */
  summary: string;
  /** Off for a recording, whatever the setting says. */
  guard: Config['guard'];
  /** A recording answers; its misses tell of failures, too. */
  isReplay: boolean;
  /** Which exchanges of the recording were never served, before `close`; undefined if none is replayed, or a file is broken.
   *  @param session of what was recorded in this one alone; `""`: in none */
  unserved(session?: string): Promise<Unserved | undefined>;
  /** What went by lately, newest first, as the control API lists it: redacted, bodies cut at 64 KiB. */
  exchanges(filter?: ExchangeFilter): Iterable<ShownExchange>;
  /** How many requests came by now, and how often it could not do its work itself: it answered 500, or found a file of its recording
   *  that is broken. The control API's reset forgets none, nor any miss. */
  counts: { readonly requests: number; readonly failed: number };
  /** How many exchanges were recorded by now; undefined if none can be. */
  recorded(): number | undefined;
  /** As new: exchanges, misses, places in sequences, the fake's state. @param session of this one alone; `""` is the default one */
  reset(session?: string): void;
  /** Ends what listens: requests in flight finish. */
  stop(): Promise<void>;
  /** Stops, writes out and frees everything. @throws PatchgateError `cannot-write` if exchanges could not be kept */
  close(): Promise<void>;
}

/** Milliseconds in which a recording is looked at before the first request. */
const LOOK_MS = 1000;

/** Puts the parts together, and listens: the only place that knows them all. @throws PatchgateError of what cannot start */
export async function createPatchgate(
  kind: ServerKind,
  given: Config,
  context: RuntimeContext,
): Promise<Patchgate> {
  const { env, notice } = context;
  const approvers = readNamedTokens(given.approvers, env, '--approvers');
  const rules = rulesOf(given, [...secretsOf(given.setHeader, env), ...approvers.keys()]);
  const isShipped = shippedContract(given.contract) && Object.keys(given.customRules).length === 0;
  const isLazy = context.isBrief === true && isShipped === true;
  const tls = await readKeyPair('--tls', given.tlsCert, given.tlsKey);
  const opened = new Opened();
  try {
    const database = kind === 'fake' ? undefined : await openDatabaseOf(given, notice);
    if (database) opened.add(database);
    const mode = kind === 'proxy' ? await recordMode(given, { database }, env, notice) : undefined;
    const config = { ...given };
    // Only changes of a real service are audited, and nothing can be lost in a recording.
    if (kind !== 'proxy') config.audit = undefined;
    if (kind === 'replay' || mode === 'none') config.guard = 'off';
    const gate = quotingNoSecrets(await gateOf(config, isLazy, notice), rules.redaction);
    const sends = kind === 'proxy' ? database : undefined;
    const outbox = sends && opened.add(await openOutbox(config, sends, notice));
    const setup = { ...context, config, rules, opened, database, outbox, mode };
    const backend = await MODES[kind](setup);
    const guarding = await guardOf(setup, gate, approvers, backend);
    const parts = { ...setup, ...backend, ...guarding, kind, gate, approvers };
    const run = opened.add(createRun(parts));
    if (parts.replay && parts.store) await lookAt(parts.store, run, notice);
    const { url, isLoopback, close: stop } = await listenFor(parts, run, tls);
    return {
      ...{ url, isLoopback, stop, summary: backend.summary, guard: config.guard },
      ...{ isReplay: backend.replay !== undefined, counts: run.counts },
      ...{ faults: run.faults, misses: run.misses },
      async unserved(session) {
        try {
          return await backend.replay?.unserved(session);
        } catch (error) {
          // A notice has told already that a file cannot be read.
          if (run.counts.failed === 0) throw error;
          return undefined;
        }
      },
      exchanges: (filter) => run.exchanges.list(filter),
      recorded: () => (backend.store?.isWritable ? backend.store.counts.recorded : undefined),
      reset(session) {
        run.reset(session);
        backend.replay?.misses.reset(session);
      },
      close: () => opened.close(),
    };
  } catch (error) {
    await opened.close();
    throw error;
  }
}

/** Listens, on another port for the page. */
async function listenFor(parts: Parts, run: Run, tls: KeyPair | undefined): Promise<Listening> {
  const { config, notice, forward, opened, clientTimeout } = parts;
  const { host, port, ui, controlToken } = config;
  const control = controlOf(parts, run);
  const handlers = handlersOf(parts, run, control, () => own.isLoopback);
  const target = forward && config.target;
  const own: Listening = await listen(handlers, { host, port, clientTimeout, tls, target });
  run.url = own.url;
  if (!own.isLoopback && controlToken === undefined)
    notice(
      `others can reach ${own.url}, so the control API (${CONTROL_ROOT}/) is off until it has a token: PATCHGATE_CONTROL_TOKEN`,
    );
  const servers = [own];
  let closed: Promise<unknown> | undefined;
  const close = async () => {
    // A stream of events would go on for ever; nothing goes on waiting for a fault alone.
    run.stopping.abort();
    closed ??= Promise.all(servers.map((server) => server.close()));
    await closed;
  };
  opened.add({ close });
  if (ui !== undefined) servers.push(await openPage(ui, parts, control));
  return { ...own, close };
}

/** The page's token counts on its port alone. */
async function openPage(port: number, parts: Parts, control: Handler): Promise<Listening> {
  const { config, notice, approvers } = parts;
  const { controlToken } = config;
  const token = controlToken ?? randomBytes(16).toString('hex');
  const { listenForUi } = await import('../server/ui-port.ts');
  const tokens = new Map([...approvers, [token, 'page']]);
  const page = await listenForUi({ port, tokens, control });
  // A token that was given is known, and no notice shows it.
  const how = controlToken === undefined ? `#token=${token}` : ' (it asks for the control token)';
  notice(`inspector: ${page.url}/${how}`);
  return page;
}

/** Sends each request to the control API or on the data path, if it has access. */
function handlersOf(parts: Parts, run: Run, control: Handler, isOnLoopback: () => boolean): Handlers {
  const { config, gate, guard, upstream, forward, approvers } = parts;
  const { faults, sessions, redaction, nextId, onFinished } = run;
  const access = createAccess({ ...config, approvers });
  const dataPath = createDataPath({
    ...{ gate, guard, upstream, faults, sessions, redaction, nextId, onFinished },
    timeout: config.timeout,
  });
  const upgradePath = forward && createUpgradePath({ gate, forward, nextId, onFinished });
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
function controlOf({ guard, approvals, approvers }: Parts, run: Run): Handler {
  let control: Promise<Handler> | undefined;
  const load = async () => {
    const { createControl } = await import('../server/control.ts');
    return createControl({ guard, approvals, approvers, run });
  };
  return (req, res) => {
    control ??= load();
    control.then(
      (handle) => handle(req, res),
      (error) => sendProblem(res, problemOfError(ownFault(error))),
    );
  };
}

/** Looks at every file, for a second before the first request comes, and at the rest between requests. */
async function lookAt(store: RecordingStore, run: Run, notice: (text: string) => void): Promise<void> {
  const loaded = store.load();
  const due = setTimeout(LOOK_MS, 'due', { ref: false });
  if ((await Promise.race([loaded, due])) !== 'due') return;
  loaded.catch((error) => {
    notice(messageOf(error));
    run.fail(messageOf(error));
  });
}
