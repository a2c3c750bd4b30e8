import { createServer } from 'node:http';
import { expect, it } from 'vitest';
import { DEFAULT_REDACTION } from '../../src/recordings/redaction/redaction.ts';
import { createDataPath } from '../../src/server/data-path.ts';
import type { Seen } from '../../src/server/seen.ts';
import { Sessions } from '../../src/server/sessions.ts';
import type { Upstream, UpstreamRequest } from '../../src/upstreams/upstream.ts';
import { FEATURE_URL, gate, guarding } from '../support/gate.ts';
import { closeServer, listen } from '../support/serve-upstream.ts';

/** What an upstream is given for a request. */
async function givenTo(members: Pick<Upstream, 'takesJson'>): Promise<UpstreamRequest> {
  const given: UpstreamRequest[] = [];
  const upstream: Upstream = {
    ...members,
    handle(request, sink) {
      given.push(request);
      sink.head({ status: 204, message: '', headers: [] }, { resume: () => undefined }, 'target');
      sink.end();
      return () => undefined;
    },
    close: async () => undefined,
  };
  const options = {
    ...guarding(gate()),
    upstream,
    faults: { choose: () => undefined },
    clientTimeout: 0,
    sessions: new Sessions(0),
    redaction: DEFAULT_REDACTION,
    nextId: () => 1,
    onSeen: () => undefined,
  };
  const server = createServer(createDataPath(options));
  const url = `http://127.0.0.1:${await listen(server)}${FEATURE_URL}`;
  const headers = { 'Content-Type': 'application/json' };
  const { status } = await fetch(url, { method: 'PATCH', headers, body: '{"name": "a"}' });
  await closeServer(server);
  expect(status).toBe(204);
  return given[0] as UpstreamRequest;
}

it('gives the value of a body to an upstream that takes it, and no other has to hold it', async () => {
  const taken = await givenTo({ takesJson: true });
  expect(taken.json).toEqual({ name: 'a' });
  expect(taken.body?.toString()).toBe('{"name": "a"}');
  const other = await givenTo({});
  expect(other.json).toBeUndefined();
  expect(other.body?.toString()).toBe('{"name": "a"}');
});

it('tells the upstream of which session a request is, and ends none that has a request on its way', async () => {
  const ended: string[] = [];
  const sessions = new Sessions(0, { end: ({ name }) => ended.push(name) });
  const names: string[] = [];
  const all: Seen[] = [];
  const upstream: Upstream = {
    handle({ session }, sink) {
      names.push(session.name);
      sessions.end(session.name);
      expect(ended).toEqual([]);
      sink.head({ status: 204, message: '', headers: [] }, { resume: () => undefined }, 'target');
      sink.end();
      return () => undefined;
    },
    close: async () => undefined,
  };
  const server = createServer(
    createDataPath({
      ...guarding(gate()),
      upstream,
      faults: { choose: () => undefined },
      clientTimeout: 0,
      sessions,
      redaction: DEFAULT_REDACTION,
      nextId: () => 1,
      onSeen: (seen) => all.push(seen),
    }),
  );
  const url = `http://127.0.0.1:${await listen(server)}/any`;
  expect((await fetch(url, { headers: { 'Patchgate-Session': 'a b/' } })).status).toBe(204);
  expect(ended).toEqual(['a b/']);
  const refused = await fetch(url, { method: 'POST', body: 'x', headers: { 'Patchgate-Session': '..' } });
  expect(refused.status).toBe(400);
  expect(await refused.json()).toMatchObject({ type: 'urn:patchgate:problem:malformed-request' });
  await closeServer(server);
  expect(names).toEqual(['a b/']);
  expect(all.map(({ session, answeredBy }) => [session, answeredBy])).toEqual([
    ['a b/', 'target'],
    [undefined, 'gate'],
  ]);
});
