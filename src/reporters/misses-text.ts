import { amount, grouped, shortened } from './wording.ts';

/** Requests that nothing in a recording answers, for the same reason. */
export interface AlikeMisses {
  /** As the client names it; `""` is the default one. */
  session: string;
  /** Why nothing answers it. */
  text: string;
  /** What to do about it. */
  hint: string;
  /** How many such requests there were. */
  count: number;
}

/** Reasons that are shown, and characters of each; sessions that are named with one. */
const MOST = 20;
const LENGTH = 2000;
const MOST_SESSIONS = 3;

/**
 * Which requests of a run had no answer, each reason once with what to do about it, in lines for people.
 *
 * @param count of all requests that missed; of those past a thousand reasons nothing else is known
 * @param isOrdered whether they may miss for the order in which they came
 * @returns undefined where there is none
 */
export function missesText(
  count: number,
  misses: readonly AlikeMisses[],
  isOrdered = false,
): string | undefined {
  if (count === 0) return undefined;
  const byText = new Map<string, AlikeMisses[]>();
  for (const miss of misses) {
    const alike = byText.get(miss.text);
    if (alike) alike.push(miss);
    else byText.set(miss.text, [miss]);
  }
  const reasons = [...byText.values()];
  const shown = reasons.slice(0, MOST);
  const lines = shown.flatMap((alike, index) => {
    const { text, hint } = alike[0] as AlikeMisses;
    // Most often it is the same for all.
    const isSaid = shown[index + 1]?.[0]?.hint === hint;
    return [`  ${shortened(text, LENGTH)}${oftenText(alike)}`, ...(isSaid ? [] : [`    ${hint}`])];
  });
  const more = count - shown.flat().reduce((sum, one) => sum + one.count, 0);
  if (more > 0) lines.push(`  and ${grouped(more)} more`);
  if (isOrdered)
    lines.push(
      '  it may be the order, too: what was recorded several times is answered in the order of recording',
      '    tests that run in another order, or at once, need a session each: the header Patchgate-Session, or a base URL of its own',
    );
  return [`${amount(count, 'request')} had no answer in the recording:`, ...lines].join('\n');
}

/** ` (3 times, sessions a, b and 2 more)` */
function oftenText(alike: readonly AlikeMisses[]): string {
  const times = alike.reduce((sum, one) => sum + one.count, 0);
  const named = alike.map(({ session }) => session).filter((session) => session !== '');
  const more = named.length - MOST_SESSIONS;
  const sessions = `${named.slice(0, MOST_SESSIONS).join(', ')}${more > 0 ? ` and ${grouped(more)} more` : ''}`;
  const parts = [
    ...(times > 1 ? [`${grouped(times)} times`] : []),
    ...(named.length > 0 ? [`${named.length > 1 ? 'sessions' : 'session'} ${sessions}`] : []),
  ];
  return parts.length > 0 ? ` (${parts.join(', ')})` : '';
}
