import { pointerOf } from '../../json/pointer.ts';
import type { Paint } from '../../reporters/colours.ts';
import { shortened, visible } from '../../reporters/wording.ts';
import type { ShownExchange } from '../../server/show-exchange.ts';
import type { ExpectedExchange } from './assertions.ts';
import { type Difference, MOST_COUNTED } from './exchange-differences.ts';
import { exchangeLine } from './exchanges-text.ts';
import { isServed, UNKNOWN, whyNotServed } from './seen-exchange.ts';
import type { Show } from './shown-value.ts';

/** An exchange, held against what is expected. */
export interface Compared {
  exchange: ShownExchange;
  differences: readonly Difference[];
}

/** What was expected, and how often that was. @param found the exchanges that were served so */
export function wantedText(
  show: Show,
  { times, ...wanted }: ExpectedExchange,
  found: readonly ShownExchange[],
  isNot: boolean,
): string {
  const parts = Object.entries(wanted).map(([part, value]) => `  ${part}: ${partText(show, part, value)}`);
  const never = isNot ? times === undefined : times === 0;
  const often = times === undefined ? 'at least once' : timesText(times);
  return [
    never ? 'Expected never to be served:' : `Expected ${isNot ? 'not ' : ''}to be served ${often}:`,
    ...(parts.length === 0 ? ['  any exchange'] : parts),
    found.length === 0
      ? 'It was never served.'
      : `It was served ${timesText(found.length)}: ${numbersOf(found)}`,
  ].join('\n');
}

/** Of headers each by itself: whether it is a secret, its name says. */
function partText(show: Show, part: string, value: unknown): string {
  if (part !== 'headers' || 'asymmetricMatch' in (value as object)) return show(value);
  const each = Object.entries(value as object).map(
    ([name, one]) => `${name}: ${show(one, pointerOf([name]), part)}`,
  );
  return `{ ${each.join(', ')} }`;
}

/** Exchanges that are named. */
const MOST_NAMED = 20;

/** `#1, #2` */
export function numbersOf(exchanges: readonly ShownExchange[]): string {
  const names = exchanges.slice(0, MOST_NAMED).map(({ id }) => `#${id}`);
  return `${names.join(', ')}${exchanges.length > MOST_NAMED ? ', …' : ''}`;
}

function timesText(times: number): string {
  return times === 0 ? 'never' : times === 1 ? 'once' : `${times} times`;
}

/** Differences that are shown, and characters of each place. */
const MOST = 20;
const MOST_CHARACTERS = 200;

/** One that was sent as expected, and got no answer; else the served one of which the fewest parts differ, and these in the fewest places. */
export function nearestText(show: Show, compared: readonly Compared[], paint: Paint): string {
  const rank = ({ exchange, differences }: Compared) =>
    new Set(differences.map(({ part }) => part)).size * 1000 +
    differences.length +
    (differences.some(({ actual }) => actual === UNKNOWN) ? MOST_COUNTED : 0) +
    (isServed(exchange) ? 0 : 0.5);
  const [nearest] = compared.toSorted((a, b) => rank(a) - rank(b));
  if (!nearest) return '';
  const { exchange, differences } = nearest;
  const line = `Nearest: ${exchangeLine(exchange, paint)}`;
  if (differences.length === 0)
    return `${line}\n  it is as expected, but was not served: ${whyText(exchange)}`;
  const more = differences.length - MOST;
  return [
    line,
    ...differences.slice(0, MOST).map((difference) => `  ${differenceText(show, difference)}`),
    ...(more > 0
      ? [`  and ${more}${differences.length >= MOST_COUNTED ? ' or more' : ''} further differences`]
      : []),
  ].join('\n');
}

/** Why the gate answered itself, or nobody did; and what knows of it. */
function whyText(exchange: ShownExchange): string {
  const { verdict, failure } = exchange;
  const [first] = verdict?.findings.filter(({ severity }) => severity === 'error') ?? [];
  const rule = first ? ` (${visible(shortened(first.rule, MOST_CHARACTERS))})` : '';
  switch (whyNotServed(exchange)) {
    case 'blocked':
      return `the gate blocked it${rule}\n  hint: ask gate.exchanges({ outcome: 'block' }), or expect(body).toHaveFinding(…)`;
    case 'missed':
      return 'the recording has no answer to it\n  hint: ask gate.misses()';
    default:
      return `it failed${failure ? `: ${visible(shortened(failure, MOST_CHARACTERS))}` : ''}\n  hint: ask gate.exchanges()`;
  }
}

function differenceText(show: Show, { part, pointer, expected, actual }: Difference): string {
  const place = `${part}${pointer === '' ? '' : ` ${visible(shortened(pointer, MOST_CHARACTERS))}`}`;
  if (actual === UNKNOWN) return `${place}: longer than what is kept of it`;
  const [wanted, was] = [show(expected, pointer, part), show(actual, pointer, part)];
  if (wanted === was) return `${place}: another value than expected, where neither is shown as it is: ${was}`;
  const text = `${place}: expected ${wanted}, was ${was}`;
  const isBelow = part === 'path' && typeof expected === 'string' && String(actual).endsWith(expected);
  return isBelow ? `${text} (give the path as it is sent, the base path included)` : text;
}
