import { PatchgateError } from '../../errors.ts';
import type { JsonValue } from '../../json/json.ts';
import { redactJson } from '../../recordings/redaction/redact.ts';
import type { Redaction } from '../../recordings/redaction/redaction.ts';
import type { KnownState } from '../../state/known-state.ts';
import { COLLECTIONS, isCollection, stateOf } from '../../state/state-file.ts';
import { CONTROL_ROOT } from './control-path.ts';

/** What is known of the service, in the format of a state file. @throws PatchgateError `not-found` where that is no matter */
export function showKnown(known: KnownState | undefined, redaction: Redaction): JsonValue {
  return redactJson(stateOf(inProxy(known).entries()) as unknown as JsonValue, redaction);
}

/** @throws PatchgateError `not-found` where nothing is known of such a record */
export function forgetKnown(
  known: KnownState | undefined,
  { account, collection, id }: Readonly<Record<'account' | 'collection' | 'id', string>>,
): void {
  const state = inProxy(known);
  const kind = isCollection(collection) ? COLLECTIONS[collection] : undefined;
  const names = [...state.entries()].map(({ name }) => name);
  const meant = names.filter((name) => name.account === account && name.kind === kind && name.id === id);
  for (const name of meant) state.forget(name);
  if (meant.length > 0) return;
  throw new PatchgateError('not-found', `nothing is known of ${account}/${collection}/${id}`.slice(0, 300), {
    hint: `GET ${CONTROL_ROOT}/state shows what is known; one is named as in DELETE ${CONTROL_ROOT}/state/current/projects/42`,
  });
}

function inProxy(known: KnownState | undefined): KnownState {
  if (known) return known;
  throw new PatchgateError('not-found', 'what is known depends on the session here', {
    hint: 'in a proxy it can be asked for; the fake shows each record with a GET',
  });
}
