import type { Match } from '../../contract/match-operation.ts';
import { PatchgateError } from '../../errors.ts';
import type { Gate } from '../../gate/gate.ts';
import type { RequestHead } from '../../http/http.ts';
import { nearest } from '../../model/nearest.ts';
import type { RecordName } from '../../model/record.ts';
import type { BodyMapping } from '../../settings/extras.ts';

/** What the bodies are judged as that do not say it themselves. Nothing is guessed. */
export interface JudgedAs {
  /** For all of them; at most one of the two. */
  operation?: string | undefined;
  path?: string | undefined;
  /** By file, where neither is given; the first one that is for a file counts. */
  bodies?: readonly BodyMapping[] | undefined;
}

/** The request that a body is judged as. */
export interface BodyTarget {
  head: RequestHead;
  match: Match;
  /** Where a path was given. */
  path?: string;
  record?: RecordName;
}

const HEADERS = ['content-type', 'application/json'];
const EXAMPLE = '/accounts/current/projects/42';

export class BodyTargets {
  readonly #gate: Gate;
  readonly #given: BodyTarget | undefined;
  readonly #mapped: readonly { files: BodyMapping['files']; target: BodyTarget }[];

  /** @throws PatchgateError `bad-usage`, `bad-config` where the contract has no such operation */
  constructor(gate: Gate, { operation, path, bodies = [] }: JudgedAs) {
    this.#gate = gate;
    this.#given = targetOf(gate, { operation, path });
    this.#mapped = bodies.map((mapping) => ({
      files: mapping.files,
      target: targetOf(gate, mapping, mapping.place) as BodyTarget,
    }));
  }

  /**
   * @param file absolute; undefined: standard input
   * @param place for people: the file, or the line of one
   * @throws PatchgateError `bad-usage` where nothing says it
   */
  of(file: string | undefined, place: string): BodyTarget {
    const mapped = file === undefined ? undefined : this.#mapped.find(({ files }) => files(file));
    const target = this.#given ?? mapped?.target;
    if (target) return target;
    throw new PatchgateError('bad-usage', `nothing says which operation the body ${place} is for`, {
      hint: `give --operation with one of: ${this.#gate.operations.join(', ')}; or --path, as in --path ${EXAMPLE}; or name the file under "bodies" in the config file`,
    });
  }
}

/** @param place in a config file, for messages */
function targetOf(
  gate: Gate,
  { operation, path }: Pick<JudgedAs, 'operation' | 'path'>,
  place?: string,
): BodyTarget | undefined {
  const operations = gate.operations.join(', ');
  const fail = (message: string, hint: string) =>
    place === undefined
      ? new PatchgateError('bad-usage', message, { hint })
      : new PatchgateError('bad-config', `${place}: ${message}`, { hint });
  if (path !== undefined) {
    if (!/^(?:\/|https?:)/i.test(path))
      throw fail(`the path ${path} does not begin with a slash`, `give one like ${EXAMPLE}`);
    const head = { method: 'PATCH', url: path, headers: HEADERS };
    const match = gate.match(head);
    if (!match) {
      const option = place === undefined ? '--operation with' : '"operation",';
      const hint = `give a path like ${EXAMPLE}, or ${option} one of: ${operations}`;
      throw fail(`no operation of the contract is a PATCH of ${path}`, hint);
    }
    const record = gate.recordOf(match);
    return { head, match, path, ...(record && { record }) };
  }
  if (operation === undefined) return undefined;
  if (!gate.operations.includes(operation)) {
    const near = nearest(operation, gate.operations);
    const hint = `operations: ${operations}${near ? `; did you mean ${near}?` : ''}`;
    throw fail(`the contract has no operation ${JSON.stringify(operation)}`, hint);
  }
  // Whatever its path.
  return {
    head: { method: '', url: '', headers: HEADERS },
    match: { operation, parameters: {}, findings: [] },
  };
}
