import type { JsonObject } from '../json/json.ts';
import { type Effect, losesEnvironment } from '../model/effect.ts';
import type { Finding } from '../model/finding.ts';

/** What a PATCH of a project would do: what `plan` reports. */
export interface Plan {
  /** Its id. */
  project: string;
  /** As it is called now, where that is known. */
  name: string | undefined;
  /** The file that holds the body, as given; `<stdin>` for standard input. */
  body: string;
  /** What says what the project holds, for people: `.patchgate/state.json, written 3m ago`. */
  source: string;
  /** `part`: the project may hold more than that. */
  known: 'whole' | 'part' | 'nothing';
  /** What is lost first. */
  effects: readonly Effect[];
  /** The body that loses no environment; only where it would lose one. */
  corrected: JsonObject | undefined;
  /** Errors for which the gate would block the PATCH, whatever it loses. */
  findings: readonly Finding[];
  /** Where nothing, or only a part, is known: what to do about it. */
  advice: string;
}

/**
 * `lost`: an environment that nobody allowed to go; `kept`: none is lost; `unclear`: nobody can tell, since not all is known.
 */
export type PlanOutcome = 'kept' | 'lost' | 'unclear';

export function outcomeOf({ effects, known }: Pick<Plan, 'effects' | 'known'>): PlanOutcome {
  if (effects.some((effect) => losesEnvironment(effect) && !effect.allowed)) return 'lost';
  return known === 'whole' ? 'kept' : 'unclear';
}

/** Why nobody can tell what is lost; undefined where all is known. */
export function doubtOf({ known, project, source }: Plan): string | undefined {
  if (known === 'whole') return undefined;
  return known === 'nothing'
    ? `nothing is known of project ${project} in ${source}`
    : `not all of project ${project} is known from ${source}: it may hold more environments`;
}
