import { isObject, type JsonValue } from '../../json/json.ts';
import type { Known, RecordKind } from '../../model/record.ts';
import { wholeRecord } from '../../state/known.ts';
import { isWhole } from '../../state/records.ts';
import { misused } from './runner.ts';

const SHAPES: Readonly<Record<RecordKind, string>> = {
  project: 'name, languages and environments, each with id and name',
  feature: 'the list variables',
  draft: 'the list variations',
};

function membersOf(value: unknown): JsonValue[] {
  return isObject(value) ? Object.values(value) : [];
}

/**
 * A record as somebody holds it: by itself, or as the service may wrap it.
 *
 * @param kind of the record that the operation changes
 * @throws Error where it is none
 */
export function knownOf(
  matcher: string,
  kind: RecordKind | undefined,
  operation: string,
  state: unknown,
): Known {
  if (kind === undefined)
    throw misused(matcher, `of what ${operation} changes no state is known`, 'leave the state out');
  const [record, ...others] = (
    isWhole(kind, state as JsonValue) ? [state as JsonValue] : membersOf(state)
  ).filter((value) => isWhole(kind, value));
  if (isWhole(kind, record) && others.length === 0) return wholeRecord(kind, record);
  throw misused(
    matcher,
    `the state is no ${kind}`,
    `give the whole ${kind} as the service shows it: ${SHAPES[kind]}; by itself, or as the one member of an answer`,
  );
}
