/** Every conformance case through the built program, over a bare socket. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { READS, ROOT, type Running, startBinary } from '../support/binary.ts';
import { type RawResponse, sendRaw, valuesOf } from '../support/raw.ts';
import { startTarget, type Target } from '../support/target.ts';

interface Expected {
  pointer: string;
  rule?: string;
}

interface Case {
  name: string;
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: unknown;
  /** The body as text, where it is no JSON or not that of JSON.stringify. */
  raw?: string;
  expect: {
    outcome: 'forward' | 'block';
    /** 0 and left out: any 4xx. */
    status?: number;
    errors: Expected[];
    warnings: Expected[];
  };
}

interface Found extends Expected {
  severity: 'error' | 'warn';
}

/** The target shows no record, so the gate says of each project that nothing is known of it. */
const UNKNOWN = 'project.state-unknown';
const FOLDER = join(ROOT, 'test', 'conformance');

let target: Target;
let gate: Running;
beforeAll(async () => {
  target = await startTarget((req, res) => {
    res.writeHead(isOwnRead(req) ? 404 : 200, { 'content-type': 'application/json' }).end('{"ok":true}');
  });
  gate = await startBinary(['proxy', target.url], { env: READS });
});

/** Of the case that runs. */
let method = '';

/** The gate's own GET before a PATCH: it is answered with 404, and counts as no forwarded request. */
function isOwnRead(received: { method?: string | undefined }): boolean {
  return received.method === 'GET' && method !== 'GET';
}

let lastId = 5000;

/** Gives the case a record of its own, so that none changes what the gate knows of another's. */
function withOwnRecord({ path, body, ...rest }: Case): Case {
  const [, before, id] = /^(.*\/(?:projects|features|drafts)\/)(42|7|1001)$/.exec(path) ?? [];
  if (before === undefined) return { path, body, ...rest };
  const own = ++lastId;
  const draft = body as { draftId?: unknown } | undefined;
  const isSame = draft?.draftId === Number(id);
  return { ...rest, path: before + own, body: isSame ? { ...draft, draftId: own } : body };
}

function foundIn(response: RawResponse, isBlocked: boolean): Found[] {
  if (isBlocked) return (JSON.parse(response.body.toString()) as { findings: Found[] }).findings;
  return JSON.parse(valuesOf(response, 'patchgate-findings')[0] ?? '[]') as Found[];
}

/** `rule pointer`, or the pointer alone where the case gives no rule. */
function named(findings: Expected[], withRule: boolean): string[] {
  return findings.map(({ rule, pointer }) => (withRule ? `${rule} ${pointer}` : pointer)).sort();
}

/** Exactly those that are expected. What has an error already may have further findings, at its place and inside it. */
function expectFindings(found: Found[], { errors, warnings }: Case['expect']): void {
  const isFurther = ({ rule, pointer }: Found) =>
    errors.some(
      (error) => error.pointer !== '' && error.rule !== rule && `${pointer}/`.startsWith(`${error.pointer}/`),
    );
  for (const [severity, expected] of [
    ['error', errors],
    ['warn', warnings],
  ] as const) {
    const withRule = expected.every(({ rule }) => rule !== undefined);
    const isExpected = (finding: Found) =>
      expected.some(({ rule, pointer }) => pointer === finding.pointer && (!rule || rule === finding.rule));
    const relevant = found.filter(
      (one) => one.severity === severity && one.rule !== UNKNOWN && (isExpected(one) || !isFurther(one)),
    );
    expect(named(relevant, withRule), severity).toEqual(named(expected, withRule));
  }
}

for (const file of readdirSync(FOLDER)) {
  const cases = JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as Case[];
  describe(file, () => {
    it.each(cases)('$name', async (given) => {
      const { path, headers, raw, body, expect: expected } = withOwnRecord(given);
      method = given.method;
      const text = raw ?? (body === undefined ? undefined : JSON.stringify(body));
      const before = target.received.length;
      const response = await sendRaw(gate.port, {
        method,
        path,
        headers: Object.entries(headers),
        ...(text !== undefined && { body: text }),
      });
      const isBlocked = expected.outcome === 'block';
      const found = foundIn(response, isBlocked);
      expectFindings(found, expected);
      const forwarded = target.received.slice(before).filter((one) => !isOwnRead(one));
      if (isBlocked) {
        if (expected.status) expect(response.status).toBe(expected.status);
        else expect(Math.floor(response.status / 100)).toBe(4);
        expect(valuesOf(response, 'content-type')).toEqual(['application/problem+json']);
        expect(valuesOf(response, 'patchgate-blocked')).toHaveLength(1);
        expect(forwarded).toEqual([]);
      } else {
        expect(response.status).toBe(200);
        expect(response.body.toString()).toBe('{"ok":true}');
        expect(forwarded).toHaveLength(1);
        expect(forwarded[0]).toMatchObject({ method, url: path });
        expect(forwarded[0]?.body.toString()).toBe(text ?? '');
      }
    });
  });
}
