import { PatchgateError } from '../errors.ts';
import { pointerOf } from '../json/pointer.ts';
import type { SeveritySetting } from '../model/finding.ts';
import type { JudgedPath, PathGlobs, SeverityOverride } from '../model/severity-override.ts';
import { memberAt } from '../schemas/check.ts';
import { LONGEST_PATH } from '../settings/globs.ts';
import { type CatalogueEntry, checkSeverities } from './catalogue.ts';

type Severities = Readonly<Record<string, SeveritySetting>>;

/** Severities over the rules' own, for one request. @param path undefined: only the operation is known */
export type SeveritiesOf = (path: JudgedPath | undefined, file: string | undefined) => Severities;

export interface OverridesOptions {
  /** Severities, for some requests or for all. */
  overrides?: readonly SeverityOverride[] | undefined;
  /** What is meant by a JSON Pointer in the config, and where it stands, for messages. */
  placeOf?: ((pointer: string) => string) | undefined;
}

const NONE: Severities = {};

/**
 * The path by which a request was judged (`JudgedPath`) decides, without what stands before the operation's template: no prefix
 * leads into an override or out of one. If it can be read in several ways, an override by path can only make it stricter.
 *
 * @param templates path templates of the operations
 * @throws PatchgateError `bad-config` for a rule that does not exist, or a glob that no operation's path could fit
 */
export function bindOverrides(
  { overrides = [], placeOf = memberAt }: OverridesOptions,
  rules: readonly CatalogueEntry[],
  templates: readonly string[],
): SeveritiesOf {
  if (overrides.length === 0) return () => NONE;
  const bound = overrides.map(({ ofFile, paths, rules: given }, index) => {
    const placeIn = (more: string) => placeOf(`/overrides/${index}${more}`);
    checkSeverities(given, rules, (rule) => placeIn(pointerOf(['rules', rule])));
    return { ofFile, ofPath: bindPaths(paths, templates, (glob) => placeIn(`/paths/${glob}`)), given };
  });
  const own = new Map(rules.map(({ name, severity }) => [name, severity]));
  return (path, file) => {
    const all: Record<string, SeveritySetting> = {};
    for (const { ofFile, ofPath, given } of bound) {
      if (ofFile && (file === undefined || !ofFile(file))) continue;
      const answer = ofPath(path);
      if (answer === 'no') continue;
      for (const [name, severity] of Object.entries(given)) {
        // What only warns in some places is an error in all of them where a rule is set to error.
        const isStricter =
          severity === 'error' || (severity === 'warn' && (all[name] ?? own.get(name)) === 'off');
        if (answer === 'yes' || isStricter) all[name] = severity;
      }
    }
    return all;
  };
}

/** Whether an override is one of a request's. `perhaps`: its path can be read in several ways. */
type Answer = 'yes' | 'no' | 'perhaps';

/** @param paths undefined: any path. @param placeOf where the glob of an index stands, for messages */
function bindPaths(
  paths: PathGlobs | undefined,
  templates: readonly string[],
  placeOf: (index: number) => string,
): (path: JudgedPath | undefined) => Answer {
  if (!paths) return () => 'yes';
  const fits = paths.globs.map((glob, index) => {
    const counting = globFromTemplate(glob, templates);
    if (counting !== undefined) return paths.compile(counting);
    const words = new Set(templates.map((template) => `/${template.split('/')[1]}`));
    const message = `${placeOf(index)}: no operation has a path like ${JSON.stringify(glob)}`;
    const hint = `begin it with **, or with one of: ${[...words].join(', ')}`;
    throw new PatchgateError('bad-config', message, { hint });
  });
  return (path) => {
    if (path === undefined) return 'no';
    if (path === 'unclear' || path.length > LONGEST_PATH) return 'perhaps';
    return fits.some((isFit) => isFit(path)) ? 'yes' : 'no';
  };
}

/** What makes a segment stand for others than itself. */
const MAGIC = /[*?[\]{}()!+@|]/;

/**
 * A glob of request paths without what stands before the operations' templates: `/api/v2/accounts/*` is `/accounts/*`. One that
 * begins with a star is for all that stands before. Undefined where no operation's path could fit.
 */
export function globFromTemplate(glob: string, templates: readonly string[]): string | undefined {
  const words = templates.map((template) => template.split('/')[1] ?? '');
  const segments = glob.replace(/^\/|\/$/g, '').split('/');
  const start = segments.findIndex((segment) => words.includes(segment));
  if (start >= 0) return `/${segments.slice(start).join('/')}`;
  const isOfAny = MAGIC.test(segments[0] ?? '') || words.some((word) => word.startsWith('{'));
  return isOfAny ? `/${segments.join('/')}` : undefined;
}
