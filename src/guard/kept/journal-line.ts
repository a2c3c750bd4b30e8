import { PatchgateError } from '../../errors.ts';
import { isObject, type JsonValue } from '../../model/json.ts';
import { isRecordKind, type Known, type RecordName } from '../../model/record.ts';
import { isId } from '../../state/state-file.ts';

/** What is known of a record from now on; undefined: nothing any more. */
export interface Change {
  name: RecordName;
  known: Known | undefined;
}

const LINE_FEED = 0x0a;

/**
 * `{"base":"/api/v2","account":"current","kind":"project","id":"42","record":{…}}`; `"record":null` where nothing is known any
 * more. Without a base it is of any path.
 */
export function lineOf({ name: { base, account, kind, id }, known }: Change): string {
  const isPart = known?.isWhole === false;
  return `${JSON.stringify({ base, account, kind, id, record: known?.record ?? null, ...(isPart && { incomplete: true }) })}\n`;
}

/**
 * The changes that stand in a journal, oldest first, and the bytes of its whole lines. One that was cut off at the end counts
 * for nothing: what it was written for had not begun.
 *
 * @throws PatchgateError `bad-input` with file and line
 */
export function readLines(bytes: Buffer, file: string): { changes: Change[]; size: number } {
  const size = bytes.lastIndexOf(LINE_FEED) + 1;
  const lines = bytes.toString('utf8', 0, size).split('\n').slice(0, -1);
  const changes = lines.map((line, index) => {
    const change = changeIn(line);
    if (change) return change;
    throw new PatchgateError('bad-input', `${file}:${index + 1}:1: this is no line of a journal`, {
      hint: 'what was learnt last and is not in the state file yet stands there: correct it, or delete it to go without it',
    });
  });
  return { changes, size };
}

function changeIn(line: string): Change | undefined {
  let value: JsonValue;
  try {
    value = JSON.parse(line) as JsonValue;
  } catch {
    return undefined;
  }
  if (!isObject(value)) return undefined;
  const { base, account, kind, id, record, incomplete } = value;
  if (typeof account !== 'string' || typeof kind !== 'string' || typeof id !== 'string') return undefined;
  if ((account !== 'current' && !isId(account)) || !isRecordKind(kind) || !isId(id)) return undefined;
  if (base !== undefined && typeof base !== 'string') return undefined;
  const name = { ...(base !== undefined && { base }), account, kind, id };
  if (record === null) return { name, known: undefined };
  return isObject(record) ? { name, known: { record, isWhole: incomplete !== true } } : undefined;
}
