import { type ErrorCode, PatchgateError } from '../../errors.ts';
import { isObject } from '../../json/json.ts';
import { escapeToken } from '../../json/pointer.ts';
import type { FaultRule, FaultsGiven, Latency } from '../../model/fault.ts';
import { memberAt } from '../extras/source.ts';
import { unknownMember } from '../extras/unknown-member.ts';
import { shownValue } from '../shown-value.ts';
import { readFault } from './read-fault.ts';
import { LATENCIES, readLatency } from './read-latency.ts';

/** Each is held against each request, and counted in each session. */
const MOST = 100;

/**
 * Faults: a list of texts and objects, or one text, of which a semicolon or a new line parts several.
 *
 * @param at what is meant, for messages: `faults[2].rate in patchgate.config.json:4:5`. `pointer` starts within the list
 * @throws PatchgateError that says what is wrong, where, and what is taken
 */
export function readFaults(
  given: unknown,
  at: (pointer: string, part?: 'name') => string,
  code: ErrorCode = 'bad-config',
): FaultRule[] {
  const fail = (pointer: string, what: string, hint: string, part?: 'name') =>
    new PatchgateError(code, `${at(pointer, part)}${what}`, { hint });
  if (typeof given !== 'string' && !Array.isArray(given))
    throw fail(
      '',
      `: ${shownValue(given)} is not taken`,
      'it takes a list of faults: ["PATCH status=503 count=2"]',
    );
  const all = [given].flat().flatMap((one: unknown, index) => {
    const from = Array.isArray(given) ? `/${index}` : '';
    const texts = typeof one === 'string' ? one.split(/[;\n]/).filter((text) => text.trim() !== '') : [one];
    return texts.map((text) =>
      readFault(text, (pointer, what, hint, part) => fail(from + pointer, what, hint, part)),
    );
  });
  if (all.length > MOST) throw fail('', ` has ${all.length} faults`, `it takes ${MOST} at most`);
  return all;
}

/** What the control API and programs set faults with. */
export interface FaultsRead {
  seed: number | undefined;
  latency: Latency | undefined;
  rules: FaultRule[];
}

/** @param given the faults alone, or with all else. @throws PatchgateError `bad-input`, naming the member */
export function readFaultsGiven(
  given: string | FaultsGiven | NonNullable<FaultsGiven['faults']>,
): FaultsRead {
  const fail = (what: string, hint: string) => new PatchgateError('bad-input', what, { hint });
  const members = (typeof given === 'string' || Array.isArray(given) ? { faults: given } : given) as unknown;
  if (!isObject(members)) throw fail(`${shownValue(given)} is not taken`, EXAMPLE);
  const unknown = unknownMember(members, ['seed', 'latency', 'faults']);
  if (unknown) throw fail(`${memberAt(`/${escapeToken(unknown.member)}`)} is not known`, unknown.hint);
  const { seed, latency, faults } = members;
  const read = latency === undefined ? undefined : readLatency(latency);
  if (latency !== undefined && read === undefined)
    throw fail(`latency: ${shownValue(latency)} is not taken`, `it takes ${LATENCIES}`);
  if (seed !== undefined && !(Number.isSafeInteger(seed) && (seed as number) >= 0))
    throw fail(`seed: ${shownValue(seed)} is not taken`, 'it takes a whole number: 1234');
  const rules = readFaults(faults ?? [], (pointer) => memberAt(`/faults${pointer}`), 'bad-input');
  return { seed: seed as number | undefined, latency: read, rules };
}

const EXAMPLE = 'it takes { "seed": 42, "latency": "50ms..200ms", "faults": ["PATCH status=503 count=2"] }';
