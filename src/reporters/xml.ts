/** What XML 1.0 cannot hold, in no form: most control characters, halves of pairs, two that are no characters. */
const IMPOSSIBLE = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};

/** A text between tags. A reader makes a line feed of a carriage return that is not escaped. */
export function xmlText(text: string): string {
  return escaped(text, /[&<>\r]/g);
}

/** ` name="value"`. A reader makes spaces of line ends and tabs that are not escaped. */
export function attribute(name: string, value: string | number): string {
  return ` ${name}="${escaped(String(value), /[&<>"\t\n\r]/g)}"`;
}

/** The tag that begins an element. */
export function element(name: string, attributes: Readonly<Record<string, string | number>>): string {
  return `<${name}${Object.entries(attributes)
    .map(([key, value]) => attribute(key, value))
    .join('')}>`;
}

function escaped(text: string, special: RegExp): string {
  return text.replace(IMPOSSIBLE, '\ufffd').replace(special, (character) => ENTITIES[character] as string);
}
