import { amount, grouped } from '../reporters/wording.ts';
import { countRules } from './count-rules.ts';
import { KEPT, useLive } from './live.ts';
import { Ago, Head } from './parts.tsx';
import { hrefOf, type Route } from './router.ts';
import { useNow } from './time.ts';

const was = (number: number) => `${grouped(number)} ${number === 1 ? 'was' : 'were'}`;

export function Counts(_: { route: Route }) {
  const { exchanges } = useLive();
  const now = useNow();
  const { judged, blocked, wouldBlock, rules } = countRules(exchanges);
  return (
    <>
      <h1>Counts</h1>
      <p>
        Of the last {amount(exchanges.length, 'exchange')}, {was(judged)} judged: {was(blocked)} blocked,{' '}
        <strong>{wouldBlock} passed that enforce would block</strong>.
      </p>
      <p class="quiet">
        It covers what the list holds, {grouped(KEPT)} exchanges at most. An audit covers all: patchgate
        report.
      </p>
      {rules.length > 0 && (
        <table class="stacked">
          <caption class="unseen">Requests by rule</caption>
          <Head
            columns={[
              'Rule',
              'Blocked',
              'Enforce would block',
              'Warned',
              'Operations',
              'First seen',
              'Last seen',
              'Example',
            ]}
          />
          <tbody>
            {rules.map(({ rule, ...count }) => (
              <tr key={rule}>
                <th scope="row">
                  <a href={hrefOf([], { rule })}>{rule}</a>
                </th>
                <td data-label="Blocked" class="digits">
                  {count.blocked}
                </td>
                <td data-label="Enforce would block" class="digits">
                  {count.wouldBlock}
                </td>
                <td data-label="Warned" class="digits">
                  {count.warned}
                </td>
                <td data-label="Operations">{count.operations.join(', ')}</td>
                <td data-label="First seen">
                  <Ago at={count.first} now={now} />
                </td>
                <td data-label="Last seen">
                  <Ago at={count.last} now={now} />
                </td>
                <td data-label="Example">
                  <a href={hrefOf(['exchanges', count.example])}>Exchange {count.example}</a>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  );
}
