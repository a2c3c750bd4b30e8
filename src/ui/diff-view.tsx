import { useState } from 'preact/hooks';
import { amount } from '../reporters/wording.ts';
import type { ShownExchange } from '../server/show-exchange.ts';
import { useLoaded } from './api.ts';
import { findBefore, jsonIn } from './before.ts';
import { type DiffRow, diffJson, hunksOf } from './diff.ts';
import { Section, Table } from './parts.tsx';

/** The known or recorded document beside the one that was sent: removed lines on the left, added ones on the right. */
export function Comparison({ exchange }: { exchange: ShownExchange }) {
  const { data: before } = useLoaded(exchange.id, () => findBefore(exchange));
  const sent = jsonIn(exchange.request.body);
  if (!before || sent === undefined) return null;
  const { name, document } = before;
  const rows = diffJson(document, sent);
  return (
    <Section title={`${name} and sent`}>
      {rows.every(({ isSame }) => isSame) ? (
        <p class="quiet">No difference.</p>
      ) : (
        <Table title={`${name} and sent`} columns={[name, 'Sent']} class="diff">
          {hunksOf(rows).map((hunk, i) => (
            <Hunk key={i} {...hunk} />
          ))}
        </Table>
      )}
    </Section>
  );
}

function Hunk({ isFolded, rows }: { isFolded: boolean; rows: DiffRow[] }) {
  const [isOpen, setOpen] = useState(!isFolded || rows.length < 3);
  if (isOpen)
    return (
      <tbody>
        {rows.map(({ left, right, isSame }, i) => (
          <tr key={i} class={isSame ? 'same' : undefined}>
            <td class={isSame ? undefined : left === undefined ? 'gap' : 'removed'}>
              {isSame ? `  ${left}` : left !== undefined && <del>{`− ${left}`}</del>}
            </td>
            <td class={isSame ? undefined : right === undefined ? 'gap' : 'added'}>
              {isSame ? `  ${right}` : right !== undefined && <ins>{`+ ${right}`}</ins>}
            </td>
          </tr>
        ))}
      </tbody>
    );
  return (
    <tbody>
      <tr>
        <td colSpan={2}>
          <button type="button" class="fold" onClick={() => setOpen(true)}>
            ⋯ {amount(rows.length, 'equal line')}
          </button>
        </td>
      </tr>
    </tbody>
  );
}
