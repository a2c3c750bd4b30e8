import type { RecordName } from '../model/record.ts';
import { amount, grouped, markdown, shortened, visible } from './wording.ts';

/** One request, and whether a gate that enforces would block it. */
export interface Reported {
  /** Where it stands, for people: `audit.jsonl:3`. */
  place: string;
  /** ISO 8601, UTC; absent where that is not known. */
  time?: string | undefined;
  method: string;
  path: string;
  operation?: string | undefined;
  client?: string | undefined;
  record?: RecordName | undefined;
  /** Why it would be blocked; empty: it would pass. */
  reasons: readonly Reason[];
  /** An audit has it, which leaves out what passes without a finding. */
  isOfAudit: boolean;
  /** It was. */
  isBlocked: boolean;
  /** A token was used for it. */
  isApproved: boolean;
  /** The target has taken it, and lost an environment. */
  hasDeleted: boolean;
}

export interface Reason {
  /** Where more is known of it than where the request stands. */
  place?: string;
  rule: string;
  pointer: string;
  message: string;
}

/** Those that would be blocked and have something in common. */
interface Group {
  name: string;
  requests: number;
  first?: string;
  last?: string;
  example: Pick<Reported, 'place' | 'time' | 'method' | 'path'> & Omit<Reason, 'place'>;
}

/** The largest groups, and how many others there are. */
interface Groups {
  top: readonly Group[];
  more: number;
}

/** What a gate that enforces would block, of all that was reported. */
export interface Enforcement {
  requests: number;
  /** Of these. */
  audited: number;
  wouldBlock: number;
  /** Of these. */
  blocked: number;
  approved: number;
  deleted: number;
  /** No operation of the contract concerns them. */
  notConcerned: number;
  /** Their bodies are missing. */
  notJudged: number;
  /** When the first and the last one came that would be blocked. */
  first?: string | undefined;
  last?: string | undefined;
  rules: Groups;
  operations: Groups;
  clients: Groups;
  records: Groups;
}

const MOST_GROUPS = 20;
const TEXT_LENGTH = 200;

/** Counts what is reported to it, one by one: only the groups are held. */
export class Tally {
  notConcerned = 0;
  notJudged = 0;
  #requests = 0;
  #audited = 0;
  #wouldBlock = 0;
  #blocked = 0;
  #approved = 0;
  #deleted = 0;
  readonly #all = new Map<string, Group>();
  readonly #rules = new Map<string, Group>();
  readonly #operations = new Map<string, Group>();
  readonly #clients = new Map<string, Group>();
  readonly #records = new Map<string, Group>();

  add(one: Reported): void {
    this.#requests++;
    if (one.isOfAudit) this.#audited++;
    if (one.isApproved) this.#approved++;
    if (one.hasDeleted) this.#deleted++;
    const [reason] = one.reasons;
    if (!reason) return;
    this.#wouldBlock++;
    if (one.isBlocked) this.#blocked++;
    count(this.#all, '', one, reason);
    const rules = new Map(one.reasons.toReversed().map((each) => [each.rule, each]));
    for (const [rule, each] of rules) count(this.#rules, rule, one, each);
    if (one.operation !== undefined) count(this.#operations, one.operation, one, reason);
    if (one.client !== undefined) count(this.#clients, one.client, one, reason);
    count(this.#records, one.record ? recordText(one.record) : one.path, one, reason);
  }

  result(): Enforcement {
    const all = this.#all.get('');
    return {
      requests: this.#requests,
      audited: this.#audited,
      wouldBlock: this.#wouldBlock,
      blocked: this.#blocked,
      approved: this.#approved,
      deleted: this.#deleted,
      notConcerned: this.notConcerned,
      notJudged: this.notJudged,
      ...(all?.first !== undefined && { first: all.first, last: all.last }),
      rules: largest(this.#rules),
      operations: largest(this.#operations),
      clients: largest(this.#clients),
      records: largest(this.#records),
    };
  }
}

/** The first one in time is the example. */
function count(groups: Map<string, Group>, name: string, one: Reported, reason: Reason): void {
  const { time, method, path } = one;
  const { place = one.place, rule, pointer, message } = reason;
  const group = groups.get(name);
  const isFirst = !group || (time !== undefined && time < (group.first ?? time));
  const example = isFirst ? { place, time, method, path, rule, pointer, message } : group.example;
  const times = [group?.first, group?.last, time].filter((each) => each !== undefined).sort();
  const [first, last] = [times[0], times.at(-1)];
  groups.set(name, {
    ...{ name, requests: (group?.requests ?? 0) + 1 },
    ...(first !== undefined && last !== undefined && { first, last }),
    example,
  });
}

/** `project 42 (/api/v2 current)`: the path before its own, and its account. */
function recordText({ base, account, kind, id }: RecordName): string {
  return `${kind} ${id} (${base ? `${base} ` : ''}${account})`;
}

function largest(groups: ReadonlyMap<string, Group>): Groups {
  const sorted = [...groups.values()].sort(
    (a, b) => b.requests - a.requests || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0),
  );
  return { top: sorted.slice(0, MOST_GROUPS), more: Math.max(0, sorted.length - MOST_GROUPS) };
}

/** For programs: version 1, as docs/reference/formats.md has it. */
export function enforcementJson(result: Enforcement): string {
  return `${JSON.stringify({ version: 1, ...result }, null, 2)}\n`;
}

const LISTS = ['rules', 'operations', 'clients', 'records'] as const;
const HEADINGS = { rules: 'rule', operations: 'operation', clients: 'client', records: 'record' } as const;

/** For people. */
export function enforcementText(result: Enforcement): string {
  const lists = LISTS.filter((name) => result[name].top.length > 0).map((name) => {
    const { top, more } = result[name];
    const rows = top.map((group) => [grouped(group.requests), shown(group.name), ...timesOf(group)]);
    const lines = aligned([['requests', HEADINGS[name], 'first', 'last'], ...rows]);
    const all = lines.flatMap((line, i) => {
      const group = top[i - 1];
      return group ? [line, `            ${exampleOf(group)}`] : [line];
    });
    return [...all, ...(more > 0 ? [`  and ${grouped(more)} more`] : [])].join('\n');
  });
  return `${[summaryOf(result), ...lists].join('\n\n')}\n`;
}

/** For a page of a CI system, or a ticket. */
export function enforcementMarkdown(result: Enforcement): string {
  const cell = (text: string) => markdown(visible(text));
  const lists = LISTS.filter((name) => result[name].top.length > 0).map((name) => {
    const { top, more } = result[name];
    const rows = top.map((group) => {
      const [first = '', last = ''] = timesOf(group);
      return `| ${grouped(group.requests)} | ${cell(shortened(group.name, TEXT_LENGTH))} | ${first} | ${last} | ${cell(exampleOf(group))} |`;
    });
    return [
      `| requests | ${HEADINGS[name]} | first | last | example |\n|---:|---|---|---|---|`,
      ...rows,
      ...(more > 0 ? [`\nand ${grouped(more)} more`] : []),
    ].join('\n');
  });
  return `${['## What enforcing would block', cell(summaryOf(result)), ...lists].join('\n\n')}\n`;
}

/** `Enforcing would block 3 of 12 requests; 7 not concerned`, `Enforcing would block 3 requests of the audit (2 were blocked)` */
function summaryOf(result: Enforcement): string {
  const { requests, audited, wouldBlock, blocked, approved, deleted, notConcerned, notJudged } = result;
  const some = (number: number, what: string) => (number > 0 ? [`${grouped(number)} ${what}`] : []);
  const others = [
    ...some(approved, 'approved'),
    ...some(deleted, 'deleted environments'),
    ...some(notConcerned, 'not concerned'),
    ...some(notJudged, 'not judged'),
  ];
  const were = blocked > 0 ? ` (${grouped(blocked)} ${blocked === 1 ? 'was' : 'were'} blocked)` : '';
  const rest = others.length > 0 ? `; ${others.join(', ')}` : '';
  // How many have passed beside those of an audit is not known.
  const ofAudit = `${amount(wouldBlock, 'request')}${audited === requests ? ' of the audit' : ''}`;
  const which = audited > 0 ? ofAudit : `${grouped(wouldBlock)} of ${amount(requests, 'request')}`;
  return `Enforcing would block ${which}${were}${rest}`;
}

/** `2026-11-23 05:41:41`, twice; `-` where it is not known. */
function timesOf({ first, last }: Group): string[] {
  return [first, last].map((time) => time?.slice(0, 19).replace('T', ' ') ?? '-');
}

/** `audit.jsonl:3: PATCH /api/v2/…: /languages/0 must be …` */
function exampleOf({ example }: Group): string {
  const { place, method, path, message } = example;
  return `${shown(place)}: ${shown(`${method} ${path}`)}: ${shown(message)}`;
}

function shown(text: string): string {
  return visible(shortened(text, TEXT_LENGTH));
}

/** Two spaces between columns, numbers to the right. */
function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows.map((row) =>
    `  ${row.map((text, i) => (i === 0 ? text.padStart(widths[i] as number) : text.padEnd(widths[i] as number))).join('  ')}`.trimEnd(),
  );
}
