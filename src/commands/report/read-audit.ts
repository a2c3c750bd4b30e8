import { createReadStream, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { messageOf, PatchgateError, whyUnreadable } from '../../errors.ts';
import type { AuditLine } from '../../model/audit.ts';
import { readStart } from '../../recordings/store/write-file.ts';
import { problemOf } from '../../schemas/check.ts';
import { AUDIT_START } from '../check/read-input.ts';

const START_LENGTH = 64;

/** Whether a text begins as an audit does. */
export function beginsAsAudit(start: Buffer): boolean {
  return AUDIT_START.test(start.toString('latin1', 0, START_LENGTH));
}

/**
 * The same of a file. One that cannot be read is none: reading it says why.
 *
 * @throws PatchgateError `bad-input` where it is a pipe or the like: what is looked at would be missing when it is read
 */
export function isAudit(name: string, cwd: string): boolean {
  const file = resolve(cwd, name);
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats && !stats.isFile() && !stats.isDirectory())
    throw new PatchgateError('bad-input', `${name} is no file, and can be read only once`, {
      hint: 'give it as standard input: patchgate report -',
    });
  return beginsAsAudit(readStart(file, START_LENGTH) ?? Buffer.alloc(0));
}

const LINE_FEED = 0x0a;
const HINT = 'correct the line, or take it out';

/**
 * The lines of an audit, with their numbers. The last one may be half written: its gate runs, or was killed.
 *
 * @param name the file as given, for messages. @param chunks its content; absent: it is read
 * @throws PatchgateError `bad-input` with the line's number
 */
export async function* readAudit(
  name: string,
  cwd: string,
  chunks: AsyncIterable<Buffer> | Iterable<Buffer> = createReadStream(resolve(cwd, name)),
): AsyncGenerator<{ number: number; line: AuditLine }> {
  let number = 0;
  let rest: Buffer[] = [];
  try {
    for await (const chunk of chunks) {
      let at = 0;
      for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, at)) {
        const line = lineIn(Buffer.concat([...rest, chunk.subarray(at, end)]), `${name}:${++number}`);
        if (line) yield { number, line };
        rest = [];
        at = end + 1;
      }
      rest.push(chunk.subarray(at));
    }
  } catch (error) {
    if (error instanceof PatchgateError) throw error;
    throw new PatchgateError('bad-input', `cannot read ${name}: ${whyUnreadable(error)}`, { cause: error });
  }
}

/** Undefined where it is blank, or tells of no request. */
function lineIn(bytes: Buffer, where: string): AuditLine | undefined {
  const text = bytes.toString('utf8');
  if (text.trim() === '') return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new PatchgateError('bad-input', `${where}: invalid JSON: ${messageOf(error)}`, { hint: HINT });
  }
  const problem = problemOf('audit', value);
  if (!problem) return 'event' in (value as object) ? undefined : (value as AuditLine);
  const { pointer, what } = problem.brief;
  throw new PatchgateError(
    'bad-input',
    `${where}: this is no line of an audit: ${`${pointer} ${what}`.trim()}`,
    {
      hint: HINT,
    },
  );
}
