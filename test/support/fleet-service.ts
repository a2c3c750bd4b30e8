/** A service that several gates stand in front of: it says of every PATCH what it has deleted. */
import { setTimeout as sleep } from 'node:timers/promises';
import { oneOf } from './numbers.ts';
import { type Environment, type Project, project } from './service.ts';
import { startTarget, type Target } from './target.ts';

/** Number of a request, which its client gave it. */
export const NUMBER = 'x-request-id';
/** Of an answer that is the service's own. */
export const ANSWERED = 'x-answered';

/** Milliseconds until a PATCH is applied, and until it is answered then. */
const LONGEST_WORK = 60;
/** Of so many PATCHes, one is never answered. It is applied or it is not. */
const HANGS_EVERY = 150;
/** Of so many that delete, one is refused: its token is used up all the same. */
const REFUSES_EVERY = 3;

export interface Change {
  /** Number of the PATCH. */
  n: number;
  project: string;
  /** Ids of the environments that it deleted. */
  lost: number[];
}

export interface FleetService {
  target: Target;
  projects: Map<string, Project>;
  /** Numbers of the PATCHes that reached it. */
  reached: number[];
  changes: Change[];
}

export async function startFleetService(names: readonly string[], next: () => number): Promise<FleetService> {
  const service: FleetService = {
    target: undefined as unknown as Target,
    projects: new Map(names.map((name, i) => [name, projectNumber(i)])),
    reached: [],
    changes: [],
  };
  const { projects, reached, changes } = service;
  const lostBy = (name: string, sent: Project) => {
    const kept = new Set(sent.environments.map(idOf));
    const before = projects.get(name)?.environments ?? [];
    return before.map(idOf).filter((id) => !kept.has(id));
  };
  const apply = (n: number, name: string, sent: Project) => {
    changes.push({ n, project: name, lost: lostBy(name, sent) });
    projects.set(name, sent);
  };
  service.target = await startTarget(async (req, res, body) => {
    service.target.received.length = 0;
    const name = /\/projects\/(\d+)$/.exec(req.url ?? '')?.[1] ?? '';
    const n = Number(req.headers[NUMBER]);
    if (req.method === 'PATCH') {
      reached.push(n);
      await sleep(next() * LONGEST_WORK);
      const sent = JSON.parse(body.toString()) as Project;
      if (lostBy(name, sent).length > 0 && next() < 1 / REFUSES_EVERY) {
        res.writeHead(400, { 'content-type': 'application/json', [ANSWERED]: String(n) });
        res.end('{"error":"not now"}');
        return;
      }
      const hangs = next() < 1 / HANGS_EVERY;
      if (!hangs || next() < 0.5) apply(n, name, sent);
      if (hangs) return;
      await sleep(next() * LONGEST_WORK);
    }
    res.writeHead(200, { 'content-type': 'application/json', [ANSWERED]: String(n) });
    res.end(JSON.stringify(projects.get(name)));
  });
  // What connects through a gate that is killed is no error here, and none of it is sent again.
  service.target.server.keepAliveTimeout = 600_000;
  return service;
}

/** Environments of all projects have ids of their own, so that none is taken for another. */
function projectNumber(i: number): Project {
  return project(...['Production', 'Staging', 'Development'].map((name, j) => `${1 + 3 * i + j} ${name}`));
}

export const idOf = ({ id }: Environment): number => id;

/** What a client wants of a project, and how it asks for it. */
export const WISHES = ['keep', 'keep', 'rename', 'create', 'delete'] as const;

/** @param newId of an environment that the project has never had */
export function changed(
  { languages, environments }: Project,
  name: string,
  next: () => number,
  newId: () => number,
): Project {
  const wish = oneOf(next, WISHES);
  const own = environments.map((one) => ({ ...one }));
  if (own.length <= 2 || (wish === 'create' && own.length < 8)) {
    const id = newId();
    own.push({ id, name: `Made ${id}`, isEnabled: false });
  } else if (wish === 'delete' || wish === 'create') own.splice(1 + Math.floor(next() * (own.length - 1)), 1);
  else if (wish === 'rename') oneOf(next, own).name = `Called ${name}`;
  return { name, languages, environments: own };
}
