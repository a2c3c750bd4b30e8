/**
 * What a PATCH does to a project that we know (service-api 4.1). The environment that is lost is named by `id` and `name`; what
 * it is to become by `newId` and `to`.
 */
export type Effect = EnvironmentEffect | ProjectEffect;

type EnvironmentEffect =
  | ({ kind: 'environment-deleted' } & Lost)
  | ({
      kind: 'environment-replaced';
      /** Created under the same name. */
      newId: number;
      /** Its position in the body's list. */
      index: number;
    } & Lost)
  | { kind: 'environment-created'; id: number; name: string }
  | { kind: 'environment-renamed'; id: number; name: string; to: string };

interface Lost {
  id: number;
  name: string;
  /** It may go without asking. */
  allowed?: true;
  /** It never goes, whatever is approved. */
  protected?: true;
}

type ProjectEffect =
  /** Ids of the environments that are marked as the default one. */
  | { kind: 'default-changed'; from: number[]; to: number[] }
  | { kind: 'language-added' | 'language-removed'; name: string }
  | { kind: 'name-changed'; name: string; to: string };

export type LosingEffect = Extract<Effect, { kind: 'environment-deleted' | 'environment-replaced' }>;

/** Whether an environment is lost for good. */
export function losesEnvironment(effect: Effect): effect is LosingEffect {
  return effect.kind === 'environment-deleted' || effect.kind === 'environment-replaced';
}

/** Decides by an environment's name what becomes of it: it never goes, goes with an approval, or without asking. */
export type DecideDeletion = (name: string) => 'protect' | 'approve' | 'allow';
