import { printable } from '../reporters/wording.ts';

export interface KnownRecord {
  path?: string;
  account: string;
  kind: 'project' | 'feature' | 'draft';
  id: string;
  /** As the service would show it, as far as it is known. */
  record: { name?: unknown; languages?: unknown; environments?: unknown };
  incomplete?: true;
  /** When a request or an answer last told of it; absent: it is from the state file. */
  seenAt?: string;
}

/** `project 42 "Checkout"` */
export function titleOf({ kind, id, record: { name } }: Pick<KnownRecord, 'kind' | 'id' | 'record'>): string {
  return `${kind} ${id}${typeof name === 'string' ? ` "${printable(name)}"` : ''}`;
}

/** `environment 3 "Development", only possible since 2026-…` */
export function environmentsOf(list: unknown): string[] {
  if (!Array.isArray(list)) return [];
  return list.map((item) => {
    const { id, name, isEnabled, possibleSince } = Object(item) as Record<string, unknown>;
    const texts = [
      `environment ${id}${typeof name === 'string' ? ` "${printable(name)}"` : ''}`,
      ...(isEnabled === true ? ['enabled'] : []),
      ...(possibleSince === undefined ? [] : [`only possible since ${printable(String(possibleSince))}`]),
    ];
    return texts.join(', ');
  });
}
