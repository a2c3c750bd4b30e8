/**
 * Random clients, a service that also changes by itself, reads that fail or lag, and answers that never come. The oracle knows what each
 * client was told: no environment goes without a 409 that named it.
 */
import { expect, it } from 'vitest';
import { startGate } from '../support/in-process.ts';
import { sequence } from '../support/numbers.ts';
import { runs, SEED } from '../support/rounds.ts';
import { type Environment, type Project, patch, startService } from '../support/service.ts';

const COUNT = runs('PATCHes of each client', 60, 5000);
const IDS = ['42', '43', '44'];
/** How a read fails: never as if there were none. */
const FAILURES = [401, 429, 500, 'reset', 'text', 'part'] as const;

it('no environment is deleted without a 409 that has named it', async () => {
  const random = sequence(SEED);
  const below = (count: number) => Math.floor(random() * count);
  const service = await startService();
  const gates = [await start(), await start()];
  /** A second gate is for other projects: without a database, two know nothing of one another. */
  const gateOf = (id: string) => gates[id === '44' ? 1 : 0]?.url as string;
  async function start() {
    return startGate({ target: service.target.url, readState: true, timeout: 2000 });
  }
  let last = 0;
  const fresh = (): Environment => ({ id: ++last, name: `E${last}`, isEnabled: false });
  for (const id of IDS)
    service.projects.set(id, { name: id, languages: ['GO'], environments: [fresh(), fresh()] });
  /** Made by PATCHes: a replica may not show them yet. */
  const made = new Set<number>();

  service.show = (req, res) => {
    const id = /projects\/(\d+)/.exec(req.url ?? '')?.[1] as string;
    const now = service.projects.get(id) as Project;
    if (below(8) === 0) now.environments = [...now.environments, fresh()];
    if (below(20) === 0) now.environments = now.environments.slice(1);
    if (below(20) === 0) now.environments = now.environments.map((one) => ({ ...one, name: `${one.name}'` }));
    const failure = below(8) === 0 ? FAILURES[below(FAILURES.length)] : undefined;
    const isLate = below(2) === 0;
    const shown = { ...now, environments: now.environments.filter((one) => !(isLate && made.has(one.id))) };
    if (failure === 'reset') res.destroy();
    else if (failure === 'text') res.writeHead(200).end('<html>');
    else if (failure === 'part') res.writeHead(200, { link: '</x>; rel="next"' }).end(JSON.stringify(now));
    else if (failure) res.writeHead(failure).end('{}');
    else res.writeHead(200).end(JSON.stringify(below(2) ? shown : { data: { project: shown } }));
  };

  const unannounced: string[] = [];
  let [passed, blocked, deleted] = [0, 0, 0];
  const client = async () => {
    for (let i = 0; i < COUNT; i++) {
      const id = IDS[below(IDS.length)] as string;
      const seen = service.projects.get(id) as Project;
      const kept = seen.environments.filter(() => below(6) > 0);
      const body = { ...seen, environments: below(3) === 0 ? [...kept, fresh()] : kept };
      const first = await patch(gateOf(id), body, { path: `current/projects/${id}` }).catch(() => undefined);
      if (first?.status === 409) blocked++;
      if (first?.status === 200) passed++;
      const { approve, effects = [] } = first?.json ?? {};
      if (!approve || below(2) === 0) continue;
      const named = new Set(effects.map((effect) => effect.id));
      announced.set(approve, named as Set<number>);
      const headers = { 'Patchgate-Approve': approve, 'X-Token': approve };
      await patch(gateOf(id), body, { path: `current/projects/${id}`, headers }).catch(() => undefined);
    }
  };
  const announced = new Map<string, Set<number>>();
  const apply = (token: string | undefined, id: string, sent: Project) => {
    const left = new Set(sent.environments.map((one) => one.id));
    const now = service.projects.get(id) as Project;
    const before = new Set(now.environments.map((one) => one.id));
    for (const one of now.environments) {
      if (left.has(one.id)) continue;
      deleted++;
      if (!announced.get(token ?? '')?.has(one.id)) unannounced.push(`${id}: ${one.id}`);
    }
    for (const one of sent.environments) if (!before.has(one.id)) made.add(one.id);
    service.projects.set(id, sent);
  };
  service.take = (req, res, id, sent) => {
    apply(req.headers['x-token'] as string | undefined, id, sent);
    const how = below(12);
    if (how === 0) res.destroy();
    else res.writeHead(how === 1 ? 500 : how === 2 ? 202 : 200).end('{"ok":true}');
  };
  await Promise.all(Array.from({ length: 6 }, client));
  expect(unannounced).toEqual([]);
  expect(Math.min(passed, blocked, deleted)).toBeGreaterThan(20);
});
