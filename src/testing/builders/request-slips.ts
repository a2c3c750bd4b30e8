import { isObject, type JsonValue } from '../../json/json.ts';
import { pointerOf } from '../../json/pointer.ts';
import { edited, type Path } from '../edited.ts';
import type { Slip } from './invalid-body.ts';

/** Levels that no body may have. */
const TOO_DEEP = 129;
/** The first integer that no double holds. */
const UNSAFE = '9007199254740993';
const MARK = '"the place of a number"';

/** What is wrong with a request whatever its operation: good bodies, written badly. */
export function* requestSlips(body: JsonValue): Iterable<Slip> {
  const text = JSON.stringify(body);
  yield* headerSlips(text);
  const broken: Readonly<Record<string, string>> = {
    'is empty': '',
    'is cut off': text.slice(0, -1),
    'has a comma too many': `${text.slice(0, -1)},${text.slice(-1)}`,
    'has a comment': `${text.slice(0, 1)}/* all of it */${text.slice(1)}`,
    'is in single quotes': text.replaceAll('"', "'"),
    'is NaN': 'NaN',
    'is written twice': text + text,
    'begins with a byte order mark': `\uFEFF${text}`,
    'is a form': 'name=Checkout',
  };
  for (const [what, wrong] of Object.entries(broken))
    yield textSlip(`the body ${what}`, wrong, 'request.json', '');
  const deep = '['.repeat(TOO_DEEP) + ']'.repeat(TOO_DEEP);
  yield textSlip(`the body is ${TOO_DEEP} levels deep`, deep, 'request.too-large', '');
  if (!isObject(body)) return;
  const [first] = Object.entries(body);
  if (first) {
    const [name, value] = first;
    const twice = `{${JSON.stringify(name)}:${JSON.stringify(value)},${text.slice(1)}`;
    yield textSlip(`${pointerOf([name])} is given twice`, twice, 'request.duplicate-key', pointerOf([name]));
  }
  const rest = first ? `,${text.slice(1)}` : '}';
  yield textSlip('/__proto__ is given', `{"__proto__":{}${rest}`, 'request.unsafe-key', '/__proto__');
  const lent = `{"constructor":{"prototype":{}}${rest}`;
  yield textSlip('/constructor holds prototype', lent, 'request.unsafe-key', '/constructor');
  const path = integerIn(body, []);
  if (!path) return;
  const pointer = pointerOf(path);
  const unsafe = JSON.stringify(edited(body, path, JSON.parse(MARK))).replace(MARK, UNSAFE);
  yield textSlip(`${pointer} is ${UNSAFE}`, unsafe, 'request.unsafe-number', pointer);
}

function* headerSlips(text: string): Iterable<Slip> {
  const headers: readonly [name: string, rule: string, headers: Record<string, string>][] = [
    ['Content-Type is empty', 'request.content-type', { 'content-type': '' }],
    ['Content-Type is text/plain', 'request.content-type', { 'content-type': 'text/plain' }],
    [
      'Content-Type is that of a form',
      'request.content-type',
      { 'content-type': 'application/x-www-form-urlencoded' },
    ],
    [
      'the charset is Latin 1',
      'request.content-type',
      { 'content-type': 'application/json; charset=iso-8859-1' },
    ],
    [
      'Content-Encoding is one that nobody reads',
      'request.content-encoding',
      { 'content-encoding': 'compress' },
    ],
  ];
  for (const [name, rule, more] of headers)
    yield { name, text, headers: more, expected: [{ rule, pointer: '' }] };
}

function textSlip(name: string, text: string, rule: string, pointer: string): Slip {
  return { name, text, expected: [{ rule, pointer }] };
}

/** The first place that has an integer. */
function integerIn(value: JsonValue, path: Path): Path | undefined {
  if (Number.isInteger(value)) return path;
  if (typeof value !== 'object' || value === null) return undefined;
  const members = Array.isArray(value) ? value.entries() : Object.entries(value);
  for (const [token, inner] of members) {
    const found = integerIn(inner, [...path, token]);
    if (found) return found;
  }
  return undefined;
}
