import { isObject, type JsonValue, member } from '../../json/json.ts';
import { copyOf } from './form.ts';

/** What one value says, with all that it leaves out as another one has it. A list has as many items as it says. */
export function overlay(under: JsonValue | undefined, over: JsonValue): JsonValue {
  if (Array.isArray(over)) {
    const items = Array.isArray(under) ? under : [];
    return over.map((item, index) => overlay(items[index] ?? items.at(-1), item));
  }
  if (!isObject(over) || !isObject(under)) return copyOf(over);
  const all = copyOf(under);
  for (const [name, value] of Object.entries(over)) all[name] = overlay(member(under, name), value);
  return all;
}
