import { type JsonValue, listAt, member } from '../json/json.ts';

/** An environment as far as it can be read (service-api 2.1). */
export interface Environment {
  id: number;
  /** `""` where there is none that can be read. */
  name: string;
  isEnabled: boolean;
  /** Known not to be sure to exist: since when, as ISO 8601. */
  possibleSince?: string;
  /** Its position in the list. */
  index: number;
}

/** Those of a project's environments that have an id; any other is none that the service could hold on to. */
export function environmentsOf(project: JsonValue | undefined): Environment[] {
  const environments: Environment[] = [];
  for (const [index, item] of listAt(project, 'environments').entries()) {
    const id = member(item, 'id');
    if (typeof id !== 'number' || !Number.isInteger(id)) continue;
    const name = member(item, 'name');
    const isEnabled = member(item, 'isEnabled') === true;
    const since = member(item, 'possibleSince');
    const possible = typeof since === 'string' ? { possibleSince: since } : undefined;
    environments.push({ id, name: typeof name === 'string' ? name : '', isEnabled, ...possible, index });
  }
  return environments;
}

/** The texts of a list, each once. */
export function languagesOf(project: JsonValue | undefined): Set<string> {
  return new Set(listAt(project, 'languages').filter((item) => typeof item === 'string'));
}
