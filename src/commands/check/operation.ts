/** The operation that a body is judged as: as given, or guessed. */
import type { Match } from '../../contract/match-operation.ts';
import { PatchgateError } from '../../errors.ts';
import type { Gate } from '../../gate/gate.ts';
import type { RequestHead } from '../../http/http.ts';
import { isObject } from '../../json/json.ts';
import { escapeToken } from '../../json/pointer.ts';
import { nearest } from '../../model/nearest.ts';

/** What bodies are judged as; at most one of the two. */
export interface JudgedAs {
  operation?: string | undefined;
  path?: string | undefined;
}

/** The request that a body is judged as. */
interface BodyTarget {
  head: RequestHead;
  match: Match;
  /** Absent if only the operation is known. */
  path?: string;
  /** What was guessed, and from what: `updateProject, by its shape`. */
  taken?: string;
}

const HEADERS = ['content-type', 'application/json'];
const EXAMPLE = '/accounts/current/projects/42';

/** @throws PatchgateError `bad-usage` if the contract has no such operation */
export function checkTarget(gate: Gate, { operation, path }: JudgedAs): void {
  const fail = (message: string, hint: string) => new PatchgateError('bad-usage', message, { hint });
  const operations = `operations: ${gate.operations.join(', ')}`;
  if (operation !== undefined && path !== undefined)
    throw fail('--operation and --path cannot be given together', 'a path says which operation is meant');
  if (path !== undefined && !atPath(gate, path))
    throw fail(
      `no operation of the contract is a PATCH of ${path}`,
      `a path is like ${EXAMPLE}; ${operations}`,
    );
  if (operation === undefined || gate.operations.includes(operation)) return;
  const near = nearest(operation, gate.operations);
  const message = `the contract has no operation ${JSON.stringify(operation)}`;
  throw fail(message, near ? `did you mean ${near}?` : operations);
}

/** @param name of the body's file @throws PatchgateError `bad-usage` if nothing says which operation it is for */
export function targetOf(gate: Gate, name: string, bytes: Buffer, as: JudgedAs): BodyTarget {
  const given = as.path === undefined ? as.operation && ofOperation(as.operation) : atPath(gate, as.path);
  const target = given || byName(gate, name) || byShape(gate, bytes);
  if (target) return target;
  throw new PatchgateError('bad-usage', `nothing says which operation the body ${name} is for`, {
    hint: `give --operation with one of: ${gate.operations.join(', ')}; or --path, as in --path ${EXAMPLE}`,
  });
}

function atPath(gate: Gate, path: string): BodyTarget | undefined {
  const head = { method: 'PATCH', url: path, headers: HEADERS };
  const match = gate.match(head);
  return match && { head, match, path };
}

/** Whatever its path. */
function ofOperation(operation: string): BodyTarget {
  const head = { method: '', url: '', headers: HEADERS };
  return { head, match: { operation, parameters: {}, findings: [] } };
}

/** `bodies/accounts/current/projects/42.json` and `projects/42.json` have a path, `updateProject.json` an operation. */
function byName(gate: Gate, name: string): BodyTarget | undefined {
  const parts = name.replace(/\.json$/i, '').split(/[/\\]/);
  // Any path may stand before that of the API: the shortest end is without it.
  const ends = parts.map((_, i) => `/${parts.slice(-1 - i).join('/')}`);
  for (const path of [...ends, ...ends.map((end) => `/accounts/current${end}`)]) {
    const target = atPath(gate, path);
    if (target) return { ...target, taken: `a PATCH of ${path}, by the file's name` };
  }
  const words = parts.flatMap((part) => part.split('.'));
  const operation = words.findLast((word) => gate.operations.includes(word));
  if (operation === undefined) return undefined;
  return { ...ofOperation(operation), taken: `${operation}, by the file's name` };
}

/** Rules that say that a body has other members than an operation's. */
const SHAPE = /^schema\.(?:required|unknown-field|field-case|additional-properties)$/;

/** The one operation whose members are nearest to the body's; none if two are alike, or no member is its own. */
function byShape(gate: Gate, bytes: Buffer): BodyTarget | undefined {
  const [best, second] = gate.operations
    .map((operation) => {
      const { head, match } = ofOperation(operation);
      const { verdict, json } = gate.inspect({ ...head, body: bytes }, match);
      const wrong = verdict.findings.filter(
        ({ rule, pointer }) => SHAPE.test(rule) && /^\/[^/]*$/.test(pointer),
      );
      const others = new Set(wrong.map(({ pointer }) => pointer));
      const members = isObject(json) ? Object.keys(json) : [];
      const isNear = members.some((member) => !others.has(`/${escapeToken(member)}`));
      return { operation, distance: wrong.length, isNear };
    })
    .filter(({ isNear }) => isNear)
    .sort((a, b) => a.distance - b.distance);
  if (!best || best.distance === second?.distance) return undefined;
  return { ...ofOperation(best.operation), taken: `${best.operation}, by its shape` };
}
