import { isObject, type JsonObject, type JsonValue, member } from '../json/json.ts';

const RECORD_PATH = /^(.*)\/accounts\/([^/]+)\/((?:project|feature|draft)s)\/([^/]+)\/?$/;

/**
 * The record that a request's URL names; undefined where nothing is known of it.
 *
 * @param state as `GET state` has it
 */
export function knownRecord(state: JsonObject, url: string): JsonObject | undefined {
  const [urlPath = ''] = url.split('?', 1);
  const [, base = '', ...place] = RECORD_PATH.exec(urlPath) ?? [];
  if (place.length === 0) return undefined;
  const under = (accounts: JsonValue | undefined) =>
    place.reduce<JsonValue | undefined>((value, name) => member(value, name), accounts);
  // The gate puts the path of its target's URL before the request's.
  const paths = isObject(state.paths) ? Object.keys(state.paths) : [];
  const isBelow = (path: string) => path === (base || '/') || path.endsWith(base);
  const records = [
    ...paths.filter(isBelow).map((path) => under(member(state.paths, path))),
    under(state.accounts),
  ];
  return records.find(isObject);
}
