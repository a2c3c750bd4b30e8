import { sessionText } from './unserved-text.ts';
import { amount, grouped } from './wording.ts';

/** Sessions that are named. */
const MOST = 10;

/**
 * Which sessions were answered with what others recorded, in lines for people.
 *
 * @param borrowers sessions with their requests; `""` is the default one
 * @param again how their tests are recorded
 * @returns undefined where there is none
 */
export function crossSessionText(
  borrowers: readonly { session: string; count: number }[],
  again: string,
): string | undefined {
  if (borrowers.length === 0) return undefined;
  const count = borrowers.reduce((sum, one) => sum + one.count, 0);
  const were = count === 1 ? 'was' : 'were';
  const lines = borrowers
    .slice(0, MOST)
    .map(({ session, count }) => `  ${amount(count, 'request')} of ${sessionText(session)}`);
  if (borrowers.length > MOST) lines.push(`  and those of ${grouped(borrowers.length - MOST)} more sessions`);
  return [
    `${amount(count, 'request')} ${were} answered with what other sessions recorded, as the recording has nothing of their own:`,
    ...lines,
    `    a test that is new, or was renamed: record it: ${again}`,
  ].join('\n');
}
