import type { OperationEntry } from '../model/contract.ts';

/** An operation's path template, ready to be held against paths. */
export interface Template {
  operation: string;
  entry: OperationEntry;
  /** Where a path ends in the template, literally; undefined where it does not. */
  match(path: string): Fit | undefined;
  /** The same with literal segments in any letter case, and parameters before the last that may be empty. */
  folded: RegExp;
  /** The record's path with something below it. */
  below: RegExp;
  /** The same literally. */
  matchBelow(path: string): Fit | undefined;
  /** Whether a text has the literal segments in it, in any letter case: what has not can be neither of these. */
  isIn(text: string): boolean;
}

/** How a path fits a template. */
export interface Fit {
  parameters: Readonly<Record<string, string>>;
  /** What stands before the template: `/api/v2`, or `""`. */
  base: string;
  /** Without the prefix. */
  path: `/${string}`;
}

/** @param basePath only paths below it fit, by whole segments; `""`: all */
export function templateOf(operation: string, entry: OperationEntry, basePath: string): Template {
  const segments = entry.path.split('/').slice(1);
  const names = segments.map((segment) => /^\{(\w+)\}$/.exec(segment)?.[1]);
  const words = segments.filter((_, index) => names[index] === undefined).map((word) => word.toLowerCase());
  const isBelow = basePath === '' ? '' : `(?=${literal(basePath)}/)`;
  const prefix = `${isBelow}(?:/.*)?`;
  const source = segments
    .map((segment, index) => {
      if (names[index] === undefined) return `/${literal(segment)}`;
      return index < segments.length - 1 ? '/[^/]*' : '/[^/]+';
    })
    .join('');
  const caught = names.filter((name) => name !== undefined);
  const below = new RegExp(`^${isBelow}((?:/.*?)?)(${source.replace(/\[\^\/\]./g, '($&)')}/.+)$`, 's');
  return {
    operation,
    entry,
    match(path) {
      const parameters: Record<string, string> = {};
      // From the last segment to the first: what stands before them is the prefix.
      let end = path.length;
      for (let i = segments.length - 1; i >= 0; i--) {
        const slash = path.lastIndexOf('/', end - 1);
        if (slash < 0) return undefined;
        const segment = path.slice(slash + 1, end);
        const name = names[i];
        if (name === undefined ? segment !== segments[i] : segment === '') return undefined;
        if (name !== undefined) parameters[name] = segment;
        end = slash;
      }
      if (basePath !== '' && !path.startsWith(`${basePath}/`)) return undefined;
      return { parameters, base: path.slice(0, end), path: path.slice(end) as `/${string}` };
    },
    folded: new RegExp(`^${prefix}${source}/?$`, 'is'),
    below: new RegExp(`^${prefix}${source}/.+$`, 'is'),
    matchBelow(path) {
      const [, base = '', part, ...values] = below.exec(path) ?? [];
      if (part === undefined) return undefined;
      const parameters = Object.fromEntries(caught.map((name, index) => [name, values[index] ?? '']));
      return { parameters, base, path: part as `/${string}` };
    },
    isIn(text) {
      const inLowerCase = text.toLowerCase();
      let at = 0;
      for (const word of words) {
        at = inLowerCase.indexOf(word, at);
        if (at < 0) return false;
        at += word.length;
      }
      return true;
    },
  };
}

function literal(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
