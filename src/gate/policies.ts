import { PatchgateError } from '../errors.ts';
import { pointerOf } from '../json/pointer.ts';
import type { SeveritySetting } from '../model/finding.ts';
import type { JudgedPath, PathGlobs, SeverityOverride } from '../model/severity-override.ts';
import { memberAt } from '../schemas/check.ts';
import { LONGEST_PATH } from '../settings/globs.ts';
import { type CatalogueEntry, checkSeverities } from './catalogue.ts';
import { createPolicy, type Policy, type PolicyOptions } from './policy.ts';

/** The policy of each request. */
interface Policies {
  /**
   * That of a request.
   *
   * @param path undefined where only the operation is known
   * @param file absolute name of the file that holds it, where it comes from one
   */
  at(path: JudgedPath | undefined, file: string | undefined): Policy;
  /** False: nothing would come of judging. */
  readonly judges: boolean;
}

export interface PoliciesOptions extends Omit<PolicyOptions, 'severities'> {
  /** The rules that there are. */
  rules: readonly CatalogueEntry[];
  /** What is meant by a JSON Pointer in the config, and where it stands, for messages. */
  placeOf?: ((pointer: string) => string) | undefined;
  /** Severities, for some requests or for all. */
  overrides?: readonly SeverityOverride[] | undefined;
  /** Path templates of the operations. */
  templates: readonly string[];
}

/** Combinations of overrides whose policies are kept; there are hardly ever more than a few. */
const MOST_KEPT = 100;

/**
 * Which severities hold is decided by the very path by which a request was judged (`JudgedPath`), never by another spelling of
 * it. What stands before the operation's template counts for nothing, as it does for the operation: not in the path, and not in a
 * glob (`/api/v2/accounts/1/**` is `/accounts/1/**`), so that no prefix leads into an override or out of one. Where a path can be
 * read in several ways, or a parameter is not as it must be, an override by path counts only for what it makes stricter. The
 * guard does not ask for severities, so no override silences it.
 *
 * @throws PatchgateError `bad-config` where a severity is given for a rule that does not exist, or a glob that no operation's path could fit
 */
export function createPolicies({ overrides = [], templates, ...options }: PoliciesOptions): Policies {
  const { placeOf = memberAt } = options;
  const base = createPolicy({ ...options, severities: {} });
  if (overrides.length === 0) return { at: () => base, judges: base.judges };
  const placeIn = (index: number) => (more: string) => placeOf(`/overrides/${index}${more}`);
  const bound = overrides.map((override, index) => bind(override, placeIn(index), templates));
  for (const [index, { rules }] of overrides.entries())
    checkSeverities(rules, options.rules, (rule) => placeIn(index)(pointerOf(['rules', rule])));
  const kept = new Map<string, Policy>();
  return {
    judges: base.judges,
    at(path, file) {
      const answers = bound.map(({ ofFile, ofPath }) => (ofFile(file) ? ofPath(path) : 'no'));
      const key = answers.join();
      let policy = kept.get(key);
      if (!policy) {
        policy = createPolicy({ ...options, severities: severitiesWith(bound, answers, options) });
        if (kept.size >= MOST_KEPT) kept.clear();
        kept.set(key, policy);
      }
      return policy;
    },
  };
}

/** Whether an override is one of a request's. `perhaps`: its path can be read in several ways. */
type Answer = 'yes' | 'no' | 'perhaps';

interface BoundOverride {
  ofFile(file: string | undefined): boolean;
  ofPath(path: JudgedPath | undefined): Answer;
  rules: SeverityOverride['rules'];
}

function bind(
  { ofFile, paths, rules }: SeverityOverride,
  placeOf: (pointer: string) => string,
  templates: readonly string[],
): BoundOverride {
  return {
    rules,
    ofFile: (file) => !ofFile || (file !== undefined && ofFile(file)),
    ofPath: bindPaths(paths, templates, (index) => placeOf(`/paths/${index}`)),
  };
}

/**
 * Whether a request's path is one of those that globs mean.
 *
 * @param paths undefined: any path. @param placeOf where the glob of an index stands, for messages
 * @throws PatchgateError `bad-config` where no operation's path could fit
 */
export function bindPaths(
  paths: PathGlobs | undefined,
  templates: readonly string[],
  placeOf: (index: number) => string,
): BoundOverride['ofPath'] {
  if (!paths) return () => 'yes';
  const fits = paths.globs.map((glob, index) => {
    const counting = globFromTemplate(glob, templates);
    if (counting !== undefined) return paths.compile(counting);
    const words = new Set(templates.map((template) => `/${template.split('/')[1]}`));
    throw new PatchgateError(
      'bad-config',
      `${placeOf(index)}: no operation has a path like ${JSON.stringify(glob)}`,
      { hint: `begin it with **, or with one of: ${[...words].join(', ')}` },
    );
  });
  return (path) => {
    if (path === undefined) return 'no';
    if (path === 'unclear' || path.length > LONGEST_PATH) return 'perhaps';
    return fits.some((isFit) => isFit(path)) ? 'yes' : 'no';
  };
}

function severitiesWith(
  overrides: readonly BoundOverride[],
  answers: readonly Answer[],
  { rules }: Omit<PoliciesOptions, 'templates'>,
): Record<string, SeveritySetting> {
  const all: Record<string, SeveritySetting> = {};
  const ofItsOwn = (name: string) => rules.find((rule) => rule.name === name)?.severity;
  for (const [index, override] of overrides.entries()) {
    for (const [name, severity] of Object.entries(override.rules)) {
      // What only warns in some places is an error in all of them where a rule is set to error.
      const isStricter =
        severity === 'error' || (severity === 'warn' && (all[name] ?? ofItsOwn(name)) === 'off');
      if (answers[index] === 'yes' || (answers[index] === 'perhaps' && isStricter)) all[name] = severity;
    }
  }
  return all;
}

/** What makes a segment stand for others than itself. */
const MAGIC = /[*?[\]{}()!+@|]/;

/**
 * A glob of request paths without what stands before the operations' templates: `/api/v2/accounts/*` is `/accounts/*`. One that
 * begins with a star is for all that stands before. Undefined where no operation's path could fit.
 *
 * @param templates path templates: `/accounts/{account_id}/projects/{project_id}`
 */
export function globFromTemplate(glob: string, templates: readonly string[]): string | undefined {
  const words = templates.map((template) => template.split('/')[1] ?? '');
  const segments = glob.replace(/^\/|\/$/g, '').split('/');
  const start = segments.findIndex((segment) => words.includes(segment));
  if (start >= 0) return `/${segments.slice(start).join('/')}`;
  const isOfAny = MAGIC.test(segments[0] ?? '') || words.some((word) => word.startsWith('{'));
  return isOfAny ? `/${segments.join('/')}` : undefined;
}
