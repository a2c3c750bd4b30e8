import type { DecideDeletion, Deletion, DeletionDecision, GuardRule } from '../model/deletion.ts';
import { nameMatcher } from '../model/name-pattern.ts';
import type { JudgedPath } from '../model/severity-override.ts';
import { bindPaths } from './policies.ts';

export interface GuardPolicyOptions {
  guardPolicy?: readonly GuardRule[] | undefined;
  /** Names of environments that may go without asking, unless a rule of the policy says something else. */
  allowDelete?: readonly string[] | undefined;
  /** Names of environments that never go, whatever the policy says. */
  protect?: readonly string[] | undefined;
}

interface BoundPolicy {
  /** What becomes of a record's environments. @param id of the project; undefined where the path does not say */
  of(path: JudgedPath | undefined, id: string | undefined): { decide: DecideDeletion; mayProtect: boolean };
  /** There is something that never goes. */
  readonly protects: boolean;
}

/** How strict a decision is. */
const STRICTNESS: Readonly<Record<Deletion, number>> = { allow: 0, approve: 1, protect: 2 };
const APPROVE: DeletionDecision = { deletion: 'approve' };

/**
 * @param templates path templates of the operations
 * @param placeOf where a rule's glob stands, by a JSON Pointer below the policy, for messages
 * @throws PatchgateError `bad-config` where no operation's path could fit a glob
 */
export function createGuardPolicy(
  { guardPolicy = [], allowDelete = [], protect = [] }: GuardPolicyOptions,
  templates: readonly string[],
  placeOf: (pointer: string) => string,
): BoundPolicy {
  const first: GuardRule[] = allowDelete.length > 0 ? [{ deletion: 'allow', environments: allowDelete }] : [];
  const last: GuardRule[] = protect.length > 0 ? [{ deletion: 'protect', environments: protect }] : [];
  const rules = [...first, ...guardPolicy, ...last].map((rule) => {
    const { deletion, environments, projects, paths, reason } = rule;
    const decision: DeletionDecision = { deletion, ...(reason !== undefined && { reason }) };
    const index = guardPolicy.indexOf(rule);
    return {
      decision,
      fitsName: environments && nameMatcher(environments),
      projects,
      ofPath: ofAnyAccount(paths, templates, (at) => placeOf(`/guardPolicy/${index}/paths/${at}`)),
    };
  });
  if (rules.length === 0) {
    const none = { decide: () => APPROVE, mayProtect: false };
    return { of: () => none, protects: false };
  }
  return {
    protects: rules.some(({ decision }) => decision.deletion === 'protect'),
    of(path, id) {
      const here = rules.flatMap(({ decision, fitsName, projects, ofPath }) => {
        const answer = ofPath(path);
        if (answer === 'no' || (projects && id !== undefined && !projects.includes(id))) return [];
        return [{ decision, fitsName, isSure: answer === 'yes' && !(projects && id === undefined) }];
      });
      return {
        mayProtect: here.some(({ decision }) => decision.deletion === 'protect'),
        decide(name) {
          let decided = APPROVE;
          for (const { decision, fitsName, isSure } of here) {
            // What is read in several ways, names no project, or has no name that is known: there a rule only makes it stricter.
            const isKnown = isSure && (name !== '' || !fitsName);
            const counts = isKnown || STRICTNESS[decision.deletion] > STRICTNESS[decided.deletion];
            if (counts && (name === '' || !fitsName || fitsName(name))) decided = decision;
          }
          return decided;
        },
      };
    },
  };
}

/** The same path as any account may name it: `current` may be whichever workspace, so there a glob of another account holds perhaps. */
function ofAnyAccount(
  paths: GuardRule['paths'],
  templates: readonly string[],
  placeOf: (index: number) => string,
): ReturnType<typeof bindPaths> {
  const ofPath = bindPaths(paths, templates, placeOf);
  if (!paths) return ofPath;
  const loose = paths.globs.map((glob) => glob.replace(/((?:^|\/)accounts\/)[^/]+/, '$1*'));
  const ofLoosePath = bindPaths({ ...paths, globs: loose }, templates, placeOf);
  return (path) => {
    const answer = ofPath(path);
    if (answer !== 'no' || path === undefined) return answer;
    const isCurrent = path.startsWith('/accounts/current/');
    const other = path.replace(/^\/accounts\/[^/]+/, '/accounts/current') as JudgedPath;
    return (isCurrent ? ofLoosePath(path) : ofPath(other)) === 'no' ? 'no' : 'perhaps';
  };
}
