import type { Contract } from '../contract/contract.ts';
import { PatchgateError } from '../errors.ts';
import { pointerOf } from '../json/pointer.ts';
import type { SeveritySetting } from '../model/finding.ts';
import type { JudgedPath, SeverityOverride } from '../model/severity-override.ts';
import { type CatalogueEntry, checkSeverities } from './catalogue.ts';

/** UTF-16 code units of a path that is held against globs: no record's is longer, and some globs take long for a long one. */
const LONGEST_PATH = 1000;

/**
 * Severities over the rules' own, for one request. The path by which it was judged (`JudgedPath`) decides, without what stands before
 * the operation's template: no prefix leads into an override or out of one. If it can be read in several ways, an override by path can
 * only make errors.
 *
 * @param placeOf names a JSON Pointer's place in the config, for messages
 * @throws PatchgateError `bad-config` for a rule that does not exist, or a glob that no operation's path could fit
 */
export function bindOverrides(
  overrides: readonly SeverityOverride[],
  placeOf: (pointer: string) => string,
  rules: readonly CatalogueEntry[],
  entries: Contract['entries'],
): (path?: JudgedPath) => Readonly<Record<string, SeveritySetting>> {
  const templates = Object.values(entries).map(({ path }) => path);
  const bound = overrides.map(({ paths, rules: given }, index) => {
    const placeIn = (more: string) => placeOf(`/overrides/${index}${more}`);
    checkSeverities(given, rules, (rule) => placeIn(pointerOf(['rules', rule])));
    const fits = paths?.globs.map((glob, at) => {
      const counting = globFromTemplate(glob, templates);
      if (counting !== undefined) return paths.compile(counting);
      const words = new Set(templates.map((template) => `/${template.split('/')[1]}`));
      const message = `${placeIn(`/paths/${at}`)}: no operation has a path like ${JSON.stringify(glob)}`;
      const hint = `begin it with **, or with one of: ${[...words].join(', ')}`;
      throw new PatchgateError('bad-config', message, { hint });
    });
    return { fits, given };
  });
  return (path) => {
    const all: Record<string, SeveritySetting> = {};
    const isUnclear = path === 'unclear' || (path !== undefined && path.length > LONGEST_PATH);
    for (const { fits, given } of bound) {
      if (fits && !isUnclear && !(path && fits.some((isFit) => isFit(path)))) continue;
      for (const [name, severity] of Object.entries(given))
        if (!fits || !isUnclear || severity === 'error') all[name] = severity;
    }
    return all;
  };
}

/** What makes a segment stand for others than itself. */
const MAGIC = /[*?[\]{}()!+@|]/;

/**
 * A glob of request paths without what stands before the operations' templates: `/api/v2/accounts/*` is `/accounts/*`. One that
 * begins with a star is for all that stands before. Undefined if no operation's path could fit.
 */
function globFromTemplate(glob: string, templates: readonly string[]): string | undefined {
  const words = templates.map((template) => template.split('/')[1] ?? '');
  const segments = glob.replace(/^\/|\/$/g, '').split('/');
  const start = segments.findIndex((segment) => words.includes(segment));
  if (start >= 0) return `/${segments.slice(start).join('/')}`;
  const isOfAny = MAGIC.test(segments[0] ?? '') || words.some((word) => word.startsWith('{'));
  return isOfAny ? `/${segments.join('/')}` : undefined;
}
