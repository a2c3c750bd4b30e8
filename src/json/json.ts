/** Any JSON value, as JSON.parse gives it. */
export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;

/** A JSON object. Its members are own properties; nothing is to be read through its prototype. */
export type JsonObject = { [member: string]: JsonValue };

/** The value of a text; undefined if it is no JSON. */
export function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An own member of an object, or undefined: never something that the prototype lends. */
export function member(value: unknown, name: string): JsonValue | undefined {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** An own member of an object, or an item of a list. */
export function childOf(value: unknown, name: string | number): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string | number, unknown>)[name]
    : undefined;
}

/** The list at a member, or an empty one if there is none or it is something else. */
export function listAt(value: unknown, name: string): JsonValue[] {
  const list = member(value, name);
  return Array.isArray(list) ? list : [];
}
