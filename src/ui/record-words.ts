import type { JsonObject } from '../json/json.ts';
import type { RecordKind } from '../model/record.ts';
import { sanitize } from '../reporters/wording.ts';

/** What is known of a record, as `GET state/records` has it. */
export interface KnownRecord {
  /** That its URL has before `/accounts`; absent where that is not known. */
  path?: string;
  account: string;
  kind: RecordKind;
  id: string;
  /** As the service would show it, as far as it is known. */
  record: JsonObject;
  /** The service may hold more than that. */
  incomplete?: true;
  /** When a request or an answer last told of it; absent: it is from the state file. */
  seenAt?: string;
}

/** `project 42 "Checkout"` */
export function titleOf({ kind, id, record: { name } }: Pick<KnownRecord, 'kind' | 'id' | 'record'>): string {
  return `${kind} ${id}${typeof name === 'string' ? ` "${sanitize(name)}"` : ''}`;
}

/** `environment 3 "Development", only possible since 2026-…` */
export function environmentsOf(list: unknown): string[] {
  if (!Array.isArray(list)) return [];
  return list.map((item) => {
    const { id, name, isEnabled, possibleSince } = Object(item) as Record<string, unknown>;
    const texts = [
      `environment ${id}${typeof name === 'string' ? ` "${sanitize(name)}"` : ''}`,
      ...(isEnabled === true ? ['enabled'] : []),
      ...(possibleSince === undefined ? [] : [`only possible since ${sanitize(String(possibleSince))}`]),
    ];
    return texts.join(', ');
  });
}

const RECORD_PATH = /^(.*)\/accounts\/([^/]+)\/(project|feature|draft)s\/([^/]+)\/?$/;

/** The record that a request's URL names; undefined where nothing is known of it. */
export function knownRecord(records: readonly KnownRecord[], url: string): KnownRecord | undefined {
  const [urlPath = ''] = url.split('?', 1);
  const [, base = '', account, kind, id] = RECORD_PATH.exec(urlPath) ?? [];
  const same = records.filter((one) => one.account === account && one.kind === kind && one.id === id);
  // The gate puts the path of its target's URL before the request's.
  const isBelow = ({ path }: KnownRecord) =>
    path !== undefined && (path === (base || '/') || path.endsWith(base));
  return same.find(isBelow) ?? same.find(({ path }) => path === undefined);
}
