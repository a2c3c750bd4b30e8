/** A service with projects that really are replaced: a target for the guard, written from the description alone. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { startTarget, type Target } from './target.ts';

export type Environment = {
  id: number;
  name: string;
  isEnabled: boolean;
};

export type Project = {
  name: string;
  languages: string[];
  environments: Environment[];
};

/** `1 Production` is environment 1, and the default one where it is the first. */
export function project(...environments: string[]): Project {
  return {
    name: 'Checkout',
    languages: ['NODEJS'],
    environments: environments.map((text, index) => {
      const [id = '', ...name] = text.split(' ');
      return { id: Number(id), name: name.join(' '), isEnabled: index === 0 };
    }),
  };
}

export interface Service {
  target: Target;
  /** By the id in the path, in whatever account. */
  projects: Map<string, Project>;
  /** Environments that a PATCH has deleted: `42: 3 Development`. */
  deleted: string[];
  /** What it does with the next PATCHes, one each, instead of taking and answering them. */
  next: ((req: IncomingMessage, res: ServerResponse, apply: () => void) => void)[];
  /** Takes and answers each PATCH, where it is given. */
  take?: (req: IncomingMessage, res: ServerResponse, id: string, sent: Project) => void;
  /** How a PATCH that was taken is answered. */
  answer: (res: ServerResponse, project: Project) => void;
  /** How a request that is neither PATCH nor DELETE is answered. */
  show: (req: IncomingMessage, res: ServerResponse, project: Project | undefined) => void;
  /** How a DELETE is answered. */
  remove: (res: ServerResponse) => void;
}

export async function startService(): Promise<Service> {
  const service: Service = {
    target: undefined as unknown as Target,
    projects: new Map(),
    deleted: [],
    next: [],
    answer: (res) => res.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}'),
    show: (_req, res, project) =>
      res
        .writeHead(project ? 200 : 404, { 'content-type': 'application/json' })
        .end(JSON.stringify(project ?? {})),
    remove: (res) => res.writeHead(204).end(),
  };
  service.target = await startTarget((req, res, body) => {
    const id = /projects\/(-?\d+)/.exec(req.url ?? '')?.[1] ?? '';
    const before = service.projects.get(id);
    if (req.method === 'DELETE') {
      service.projects.delete(id);
      service.remove(res);
    } else if (req.method !== 'PATCH') service.show(req, res, before);
    else {
      const sent = JSON.parse(body.toString()) as Project;
      if (service.take) return service.take(req, res, id, sent);
      const apply = () => {
        const now = service.projects.get(id);
        const kept = new Set(sent.environments.map((one) => one.id));
        for (const one of now?.environments ?? [])
          if (!kept.has(one.id)) service.deleted.push(`${id}: ${one.id} ${one.name}`);
        service.projects.set(id, sent);
      };
      const other = service.next.shift();
      if (other) return other(req, res, apply);
      apply();
      service.answer(res, sent);
    }
  });
  return service;
}

/** What the guard answers, as far as tests look at it. */
export interface Blocked {
  type: string;
  status: number;
  detail: string;
  hint?: string;
  approve?: string;
  approval?: string;
  corrected?: Project;
  effects?: { kind: string; id?: number; name?: string }[];
  findings: { rule: string; severity: string; pointer: string; message: string }[];
}

export interface Answered {
  status: number;
  headers: Headers;
  json: Blocked;
}

/** @param path below `/accounts/` */
export async function patch(
  url: string,
  body: unknown,
  { path = 'current/projects/42', headers = {} }: { path?: string; headers?: Record<string, string> } = {},
): Promise<Answered> {
  const response = await fetch(`${url}/api/v2/accounts/${path}`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, json: (await response.json()) as Blocked };
}

/** `environment-deleted 3`: the environments that an answer says are lost. */
export function lossesIn({ json }: Answered): string[] {
  return (json.effects ?? [])
    .filter(({ kind }) => kind === 'environment-deleted' || kind === 'environment-replaced')
    .map(({ kind, id }) => `${kind} ${id}`);
}
