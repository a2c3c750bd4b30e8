/** Clients of several gates: they keep, make and delete environments, and write down what came of it. */
import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { ANSWERED, changed, NUMBER } from './fleet-service.ts';
import { oneOf } from './numbers.ts';
import type { Blocked, Project } from './service.ts';

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
  /** Seconds, where the answer says when to try again. */
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

/** Longer than a lease of a gate that was killed. */
const CLIENT_TIMEOUT = 30_000;

export class FleetClients {
  readonly log: Sent[] = [];
  readonly #doors: readonly Door[];
  readonly #names: readonly string[];
  readonly #next: () => number;
  /** What clients have seen last of each project: they all rest on it, so many of their PATCHes are late. */
  readonly #seen: Map<string, Project>;
  readonly #agent = new Agent({ keepAlive: true });
  #lastId = 1000;
  #isStopped = false;

  /** @param projects as they are at first */
  constructor(doors: readonly Door[], projects: ReadonlyMap<string, Project>, next: () => number) {
    this.#doors = doors;
    this.#names = [...projects.keys()];
    this.#seen = new Map(projects);
    this.#next = next;
  }

  /** @returns resolves once they were stopped, and each has its last answer */
  async run(count: number): Promise<void> {
    await Promise.all(Array.from({ length: count }, () => this.#work()));
    this.#agent.destroy();
  }

  stop(): void {
    this.#isStopped = true;
  }

  async #work(): Promise<void> {
    while (!this.#isStopped) {
      const gate = this.#anyGate();
      // All are down: they are started anew.
      if (gate === undefined) await sleep(20);
      else await this.#visit(gate, oneOf(this.#next, this.#names));
    }
  }

  async #visit(gate: number, name: string): Promise<void> {
    // What a GET shows the gates learn: of half of the projects, only PATCHes say what became of one.
    if (Number(name) % 2 === 0 && this.#next() < 0.4) {
      await this.#send(gate, 'GET', name);
      return;
    }
    const seen = this.#seen.get(name) as Project;
    const body = changed(seen, `N${this.log.length}`, this.#next, () => ++this.#lastId);
    const { approve, status } = await this.#send(gate, 'PATCH', name, body);
    if (status === 503) await sleep(100);
    if (approve === undefined || this.#next() < 0.5) return;
    // The same token: to one gate, to two at once, and at times to one more when it is used up.
    const gates = this.#next() < 0.3 ? [this.#anyGate(), this.#anyGate()] : [this.#anyGate()];
    if (this.#next() < 0.1) gates.push(this.#anyGate());
    const [last, ...first] = gates.reverse();
    const use = async (at: number | undefined) => {
      if (at !== undefined) await this.#send(at, 'PATCH', name, body, approve);
    };
    if (gates.length < 3) await Promise.all(gates.map(use));
    else await Promise.all(first.map(use)).then(() => use(last));
  }

  #anyGate(): number | undefined {
    const open = this.#doors.flatMap(({ isOpen }, i) => (isOpen ? [i] : []));
    return open.length === 0 ? undefined : oneOf(this.#next, open);
  }

  async #send(gate: number, method: string, name: string, body?: Project, token?: string): Promise<Sent> {
    const sent: Sent = {
      ...{ n: this.log.length, method, gate, token, from: performance.now(), to: Number.POSITIVE_INFINITY },
      ...{ status: undefined, isAnswered: false, retryAfter: undefined, announced: [], approve: undefined },
    };
    this.log.push(sent);
    const answer = await this.#ask(sent, name, body);
    sent.to = performance.now();
    if (!answer) return sent;
    sent.status = answer.status;
    sent.isAnswered = answer.headers[ANSWERED] === String(sent.n);
    sent.retryAfter = answer.headers['retry-after'];
    if (sent.isAnswered && answer.status === 200) this.#seen.set(name, answer.json as Project);
    else if (answer.status === 409) {
      const { effects = [], approve, corrected } = answer.json as Blocked;
      sent.announced = effects.filter(({ kind }) => LOSES.has(kind)).map(({ id }) => id as number);
      sent.approve = approve;
      if (corrected) this.#seen.set(name, corrected);
    }
    return sent;
  }

  #ask({ n, gate, method, token }: Sent, name: string, body?: Project): Promise<Answer | undefined> {
    const headers = {
      [NUMBER]: String(n),
      ...(body && { 'content-type': 'application/json' }),
      ...(token !== undefined && { 'patchgate-approve': token }),
    };
    const { port } = this.#doors[gate] as Door;
    const path = `/api/v2/accounts/current/projects/${name}`;
    const options = { host: '127.0.0.1', port, method, path, headers, agent: this.#agent };
    return new Promise((resolve) => {
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
  }
}

const LOSES = new Set(['environment-deleted', 'environment-replaced']);
