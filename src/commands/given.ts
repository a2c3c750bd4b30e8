import { PatchgateError } from '../errors.ts';
import { HOP_BY_HOP } from '../http/http.ts';

type Given = string | readonly string[] | undefined;

/** The value of an option that yargs makes a list of where it is given twice. @throws PatchgateError `bad-usage` */
export function once(flag: string, given: Given): string | undefined {
  const values = all(given);
  if (values.length <= 1) return values[0];
  throw new PatchgateError('bad-usage', `--${flag} is given more than once`, { hint: 'give it once' });
}

export function all(given: Given): readonly string[] {
  return given === undefined ? [] : [given].flat();
}

const NAME = /^[!#$%&'*+.^_`|~\dA-Za-z-]+$/;
/** Of the connection, or of a body that there is not. */
const OURS: ReadonlySet<string> = new Set([...HOP_BY_HOP, 'host', 'content-length', 'expect']);

/**
 * `Name: value` as curl takes it -> name, value, name, value, … Messages never quote a value: it may be a secret.
 *
 * @throws PatchgateError `bad-usage`
 */
export function headersOf(texts: readonly string[]): string[] {
  return texts.flatMap((text) => {
    const colon = text.indexOf(':');
    const name = text.slice(0, Math.max(colon, 0)).trim();
    const value = text.slice(colon + 1).trim();
    if (!NAME.test(name)) {
      throw new PatchgateError('bad-usage', '--header: a name and a colon are missing, or the name is none', {
        hint: "give it as in curl: --header 'Authorization: Bearer …'",
      });
    }
    if (OURS.has(name.toLowerCase())) {
      throw new PatchgateError('bad-usage', `--header: ${name} is for the connection to say`, {
        hint: 'leave it out',
      });
    }
    // As much as one byte of HTTP's text can say.
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
      throw new PatchgateError(
        'bad-usage',
        `--header: the value of ${name} has a character that no header can have`,
      );
    }
    return [name, value];
  });
}
