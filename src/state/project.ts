import { isObject, type JsonValue, listAt } from '../json/json.ts';

/** An environment as far as it can be read (service-api 2.1). */
export interface Environment {
  id: number;
  /** `""` if there is none that can be read. */
  name: string;
  isEnabled: boolean;
  /** Its position in the list. */
  index: number;
}

/** Those of a project's environments that have an id; the service could hold on to no other. */
export function environmentsOf(project: JsonValue | undefined): Environment[] {
  const environments: Environment[] = [];
  const list = listAt(project, 'environments');
  for (let index = 0; index < list.length; index++) {
    const item = list[index];
    if (!isObject(item)) continue;
    const { id, name, isEnabled } = item;
    if (typeof id !== 'number' || !Number.isInteger(id)) continue;
    const called = typeof name === 'string' ? name : '';
    environments.push({ id, name: called, isEnabled: isEnabled === true, index });
  }
  return environments;
}

/** Whether two projects list the same environments in the same order, as most PATCHes leave them. */
export function haveSameEnvironments(some: JsonValue | undefined, others: JsonValue | undefined): boolean {
  const [list, other] = [listAt(some, 'environments'), listAt(others, 'environments')];
  if (list.length !== other.length) return false;
  for (let index = 0; index < list.length; index++) {
    const [one, two] = [list[index], other[index]];
    if (!isObject(one) || !isObject(two)) return false;
    const isSame = one.id === two.id && one.name === two.name;
    if (!isSame || (one.isEnabled === true) !== (two.isEnabled === true)) return false;
  }
  return true;
}

/** The texts of a list, each once. */
export function languagesOf(project: JsonValue | undefined): Set<string> {
  return new Set(listAt(project, 'languages').filter((item) => typeof item === 'string'));
}
