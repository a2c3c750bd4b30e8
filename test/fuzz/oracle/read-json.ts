/**
 * A reader of JSON that is not the gate's and not V8's: it lets the first or the last of two members with one name win, as
 * parsers in other languages do. It is no stricter than they are: raw control characters in strings, lone surrogates and
 * deep nesting are fine.
 *
 * @throws SyntaxError where the text is no JSON
 */
export function readJson(text: string, wins: 'first' | 'last'): unknown {
  let at = 0;
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    if (found !== undefined) at += found.length;
    return found;
  };
  const fail = (): never => {
    throw new SyntaxError(`no JSON at ${at}`);
  };
  const expect = (pattern: RegExp) => take(pattern) ?? fail();

  const list = (): unknown[] => {
    const items: unknown[] = [];
    if (take(/\s*\]/y) !== undefined) return items;
    do items.push(value());
    while (take(/\s*,/y) !== undefined);
    expect(/\s*\]/y);
    return items;
  };
  const object = (): Record<string, unknown> => {
    const members = new Map<string, unknown>();
    if (take(/\s*\}/y) === undefined) {
      do {
        expect(/\s*/y);
        const name = unquote(expect(/"(?:[^"\\]|\\.)*"/sy));
        expect(/\s*:/y);
        const member = value();
        if (wins === 'last' || !members.has(name)) members.set(name, member);
      } while (take(/\s*,/y) !== undefined);
      expect(/\s*\}/y);
    }
    return Object.fromEntries(members);
  };
  const value = (): unknown => {
    expect(/\s*/y);
    if (take(/\{/y) !== undefined) return object();
    if (take(/\[/y) !== undefined) return list();
    const quoted = take(/"(?:[^"\\]|\\.)*"/sy);
    if (quoted !== undefined) return unquote(quoted);
    const word = take(/true|false|null/y);
    if (word !== undefined) return word === 'null' ? null : word === 'true';
    return Number(expect(/-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y));
  };

  const read = value();
  if (take(/\s*$/y) === undefined) fail();
  return read;
}

const SHORT: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

function unquote(quoted: string): string {
  return quoted
    .slice(1, -1)
    .replace(/\\(?:u([0-9a-fA-F]{4})|(.))/gs, (_, hex: string | undefined, char: string) =>
      hex === undefined ? (SHORT[char] ?? char) : String.fromCharCode(Number.parseInt(hex, 16)),
    );
}
