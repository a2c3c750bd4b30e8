/** Clients of several gates, and the service behind these. Both write down what came of it. */
import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { oneOf } from './numbers.ts';
import { type Blocked, type Project, project } from './service.ts';
import { startTarget, type Target } from './target.ts';

/** Number of a request, which its client gave it; and of an answer that is the service's own. */
export const NUMBER = 'x-request-id';
export const ANSWERED = 'x-answered';

/** Milliseconds until a PATCH is applied, and until it is answered then. */
const LONGEST_WORK = 60;
/** Of so many PATCHes, one is never answered. It is applied or it is not. */
const HANGS_EVERY = 150;
/** Of so many that delete, one is refused: its token is used up all the same. */
const REFUSES_EVERY = 3;

export interface FleetService {
  target: Target;
  projects: Map<string, Project>;
  /** Numbers of the PATCHes that reached it. */
  reached: number[];
  /** By number of the PATCH: ids of the environments that it deleted. */
  changes: { n: number; project: string; lost: number[] }[];
}

export async function startFleetService(names: readonly string[], next: () => number): Promise<FleetService> {
  // Environments of all projects have ids of their own, so that none is taken for another.
  const first = (i: number) =>
    project(`${3 * i + 1} Production`, `${3 * i + 2} Staging`, `${3 * i + 3} Development`);
  const projects = new Map(names.map((name, i) => [name, first(i)]));
  const reached: number[] = [];
  const changes: FleetService['changes'] = [];
  const lostBy = (name: string, sent: Project) => {
    const kept = new Set(sent.environments.map(({ id }) => id));
    const before = projects.get(name)?.environments ?? [];
    return before.map(({ id }) => id).filter((id) => !kept.has(id));
  };
  const target = await startTarget(async (req, res, body) => {
    target.received.length = 0;
    const name = /\/projects\/(\d+)$/.exec(req.url ?? '')?.[1] ?? '';
    const n = Number(req.headers[NUMBER]);
    const answer = (status: number, json: unknown) =>
      res
        .writeHead(status, { 'content-type': 'application/json', [ANSWERED]: String(n) })
        .end(JSON.stringify(json));
    if (req.method === 'PATCH') {
      reached.push(n);
      await sleep(next() * LONGEST_WORK);
      const sent = JSON.parse(body.toString()) as Project;
      if (lostBy(name, sent).length > 0 && next() < 1 / REFUSES_EVERY)
        return void answer(400, { error: 'not now' });
      const hangs = next() < 1 / HANGS_EVERY;
      if (!hangs || next() < 0.5) {
        changes.push({ n, project: name, lost: lostBy(name, sent) });
        projects.set(name, sent);
      }
      if (hangs) return;
      await sleep(next() * LONGEST_WORK);
    }
    answer(200, projects.get(name));
  });
  // What connects through a gate that is killed is no error here, and none of it is sent again.
  target.server.keepAliveTimeout = 600_000;
  return { target, projects, reached, changes };
}

/** One request, and what came of it. Times are those of `performance.now()`. */
export interface Sent {
  n: number;
  method: string;
  /** Index of the gate. */
  gate: number;
  /** Of an approval that it was sent with. */
  token: string | undefined;
  from: number;
  to: number;
  /** Undefined: no whole answer came. */
  status: number | undefined;
  /** The service has answered it. */
  isAnswered: boolean;
  retryAfter: string | undefined;
  /** The answer's: which environments it would delete, and the token that lets it. */
  announced: number[];
  approve: string | undefined;
}

/** A gate as clients know it. */
export interface Door {
  port: number;
  isOpen: boolean;
}

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  json: unknown;
}

/** Longer than anything takes. */
const CLIENT_TIMEOUT = 30_000;
const LOSES = new Set(['environment-deleted', 'environment-replaced']);

/** They keep, make and delete environments. @returns what they have sent; `stop` resolves once each has its last answer */
export function startClients(
  doors: readonly Door[],
  count: number,
  projects: ReadonlyMap<string, Project>,
  next: () => number,
): { log: Sent[]; stop(): Promise<unknown> } {
  const log: Sent[] = [];
  const names = [...projects.keys()];
  /** What clients have seen last of each project: they all rest on it, so many of their PATCHes are late. */
  const seen = new Map(projects);
  const agent = new Agent({ keepAlive: true });
  let lastId = 1000;
  let isStopped = false;

  const anyGate = (): number | undefined => {
    const open = doors.flatMap(({ isOpen }, i) => (isOpen ? [i] : []));
    return open.length === 0 ? undefined : oneOf(next, open);
  };

  const ask = ({ n, gate, method, token }: Sent, name: string, body?: Project) =>
    new Promise<Answer | undefined>((resolve) => {
      const headers = {
        [NUMBER]: String(n),
        ...(body && { 'content-type': 'application/json' }),
        ...(token !== undefined && { 'patchgate-approve': token }),
      };
      const path = `/api/v2/accounts/current/projects/${name}`;
      const options = { host: '127.0.0.1', port: doors[gate]?.port, method, path, headers, agent };
      const req = request({ ...options, timeout: CLIENT_TIMEOUT }, (res) => {
        const chunks: Buffer[] = [];
        res.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', () => undefined);
        res.on('close', () => {
          if (!res.complete) return resolve(undefined);
          const json: unknown = JSON.parse(Buffer.concat(chunks).toString());
          resolve({ status: res.statusCode as number, headers: res.headers, json });
        });
      });
      req.on('timeout', () => req.destroy()).on('error', () => resolve(undefined));
      req.end(body && JSON.stringify(body));
    });

  const send = async (gate: number, method: string, name: string, body?: Project, token?: string) => {
    const sent: Sent = {
      ...{ n: log.length, method, gate, token, from: performance.now(), to: Number.POSITIVE_INFINITY },
      ...{ status: undefined, isAnswered: false, retryAfter: undefined, announced: [], approve: undefined },
    };
    log.push(sent);
    const answer = await ask(sent, name, body);
    sent.to = performance.now();
    if (!answer) return sent;
    sent.status = answer.status;
    sent.isAnswered = answer.headers[ANSWERED] === String(sent.n);
    sent.retryAfter = answer.headers['retry-after'];
    if (sent.isAnswered && answer.status === 200) seen.set(name, answer.json as Project);
    else if (answer.status === 409) {
      const { effects = [], approve, corrected } = answer.json as Blocked;
      sent.announced = effects.filter(({ kind }) => LOSES.has(kind)).map(({ id }) => id as number);
      sent.approve = approve;
      if (corrected) seen.set(name, corrected);
    }
    return sent;
  };

  const visit = async (gate: number, name: string) => {
    if (next() < 0.2) return send(gate, 'GET', name);
    const body = changed(seen.get(name) as Project, `N${log.length}`, next, () => ++lastId);
    const { approve, status } = await send(gate, 'PATCH', name, body);
    if (status === 503) await sleep(100);
    if (approve === undefined || next() < 0.5) return;
    // The same token: to one gate, to two at once, and at times once more when it is used up.
    const use = (at = anyGate()) => (at === undefined ? undefined : send(at, 'PATCH', name, body, approve));
    await Promise.all(next() < 0.3 ? [use(), use()] : [use()]);
    if (next() < 0.1) await use();
  };

  const work = async () => {
    while (!isStopped) {
      const gate = anyGate();
      // All are down: they are started anew.
      if (gate === undefined) await sleep(20);
      else await visit(gate, oneOf(next, names));
    }
  };

  const working = Promise.all(Array.from({ length: count }, work));
  const stop = () => {
    isStopped = true;
    return working.then(() => agent.destroy());
  };
  return { log, stop };
}

/** What a client wants of a project. @param newId of an environment that the project has never had */
function changed(
  { languages, environments }: Project,
  name: string,
  next: () => number,
  newId: () => number,
): Project {
  const wish = oneOf(next, ['keep', 'keep', 'rename', 'create', 'delete']);
  const own = environments.map((one) => ({ ...one }));
  if (own.length <= 2 || (wish === 'create' && own.length < 8)) {
    const id = newId();
    own.push({ id, name: `Made ${id}`, isEnabled: false });
  } else if (wish === 'delete' || wish === 'create') own.splice(1 + Math.floor(next() * (own.length - 1)), 1);
  else if (wish === 'rename') oneOf(next, own).name = `Called ${name}`;
  return { name, languages, environments: own };
}
