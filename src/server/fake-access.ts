import { PatchgateError } from '../errors.ts';
import { isObject, type JsonObject, type JsonValue } from '../json/json.ts';
import { isRecordKind, RECORD_KINDS, type RecordName } from '../model/record.ts';
import { isAccount, isRecordId } from '../upstreams/fake/seed.ts';
import type { Fake } from '../upstreams/fake/start-fake.ts';
import type { Sessions } from './sessions.ts';

/** The records of the fake, for the program that it runs in. Copies go in and come out. */
export interface FakeAccess {
  /** Undefined where there is no such record. @param session by name; `""` is the default one */
  get(name: NameGiven, session: string): JsonObject | undefined;
  /** Puts a record in its place, or adds it. @throws PatchgateError `bad-usage`, `request-too-large` */
  set(name: NameGiven, record: JsonObject, session: string): void;
}

/** A record's name, unchecked. */
type NameGiven = { readonly [Part in 'account' | 'kind' | 'id']: string };

export function accessTo(fake: Fake, sessions: Sessions): FakeAccess {
  return {
    get(given, session) {
      const record = fake.recordOf(sessions.begin(session), checked(given));
      return record && (JSON.parse(JSON.stringify(record)) as JsonObject);
    },
    set(given, record, session) {
      const name = checked(given);
      const copy = JSON.parse(JSON.stringify(record) ?? 'null') as JsonValue;
      if (!isObject(copy))
        throw new PatchgateError('bad-usage', `what is to be ${name.kind} ${name.id} is no object`, {
          hint: 'give the record as the service would show it',
        });
      if (fake.setRecord(sessions.begin(session), name, copy)) return;
      throw new PatchgateError('request-too-large', 'the records of the fake would take too much memory', {
        hint: 'end sessions that are over: reset()',
      });
    },
  };
}

function checked({ account, kind, id }: NameGiven): RecordName {
  const wrong = (what: string, hint: string) => new PatchgateError('bad-usage', what, { hint });
  if (!isRecordKind(kind))
    throw wrong(`there is no kind of record ${JSON.stringify(kind)}`, `kinds: ${RECORD_KINDS.join(', ')}`);
  if (!isRecordId(id)) throw wrong(`${JSON.stringify(id)} is no id`, 'an id is an integer, as in the path');
  if (isAccount(account)) return { account, kind, id };
  throw wrong(
    `${JSON.stringify(account)} names no account`,
    'an account is current or the id of a workspace',
  );
}
