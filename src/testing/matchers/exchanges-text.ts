import { type Paint, SEVERITY_COLOURS } from '../../reporters/colours.ts';
import { amount, shortened, visible } from '../../reporters/wording.ts';
import type { ShownExchange } from '../../server/show-exchange.ts';
import { isServed, whyNotServed } from './seen-exchange.ts';

/** Exchanges of each sort, and findings of each, that are listed: the last ones. */
const MOST_LISTED = 20;
const MOST_FINDINGS = 5;
const MOST_CHARACTERS = 300;

/** What went by: what was served, what was blocked and why, what no recording had, and what else failed. */
export function exchangesText(exchanges: readonly ShownExchange[], paint: Paint): string {
  if (exchanges.length === 0)
    return "Nothing went by.\n  hint: the client's base URL must begin with the url of this gate or session, and its call be awaited";
  const sorts = new Map<string, ShownExchange[]>(
    ['Served', 'Blocked', 'Missed', 'Failed'].map((sort) => [sort, []]),
  );
  for (const exchange of exchanges) sorts.get(sortOf(exchange))?.push(exchange);
  return [...sorts]
    .filter(([, list]) => list.length > 0)
    .map(([sort, list]) => {
      const more = list.length - MOST_LISTED;
      return [
        `${sort}: ${amount(list.length, 'exchange')}`,
        ...(more > 0 ? [`  ${more} earlier ones, and`] : []),
        ...list.slice(-MOST_LISTED).flatMap((exchange) => linesOf(exchange, paint)),
      ].join('\n');
    })
    .join('\n\n');
}

const SORTS = { blocked: 'Blocked', missed: 'Missed', failed: 'Failed' } as const;

function sortOf(exchange: ShownExchange): string {
  if (isServed(exchange)) return 'Served';
  return SORTS[whyNotServed(exchange)];
}

function linesOf(exchange: ShownExchange, paint: Paint): string[] {
  const { verdict, fault } = exchange;
  const happened = [
    ...(fault ? [`the fault ${fault}`] : []),
    ...(exchange.failure ? [exchange.failure] : []),
  ];
  const lines = [`  ${exchangeLine(exchange, paint)}`];
  if (verdict?.outcome !== 'block') return [...lines, ...happened.map((text) => `    ${readable(text)}`)];
  const errors = verdict.findings.filter(({ severity }) => severity === 'error');
  const more = Math.max(0, errors.length - MOST_FINDINGS) + verdict.omitted;
  return [
    ...lines,
    ...errors
      .slice(0, MOST_FINDINGS)
      .map(
        ({ rule, message, severity }) =>
          `    ${paint(SEVERITY_COLOURS[severity], visible(rule))}  ${readable(message)}`,
      ),
    ...(more > 0 ? [`    and ${amount(more, 'more finding')}`] : []),
  ];
}

/** `#2 PATCH /api/v2/accounts/current/projects/42 -> 200 (recording)` */
export function exchangeLine(
  { id, request, response, answeredBy, session }: ShownExchange,
  paint: Paint,
): string {
  const what = readable(`${request.method} ${request.url}`);
  const answer = response ? `${response.status} (${answeredBy})` : 'no response';
  return `#${id} ${what} -> ${answer}${session ? paint('grey', readable(`, session ${session}`)) : ''}`;
}

function readable(text: string): string {
  return visible(shortened(text, MOST_CHARACTERS));
}
