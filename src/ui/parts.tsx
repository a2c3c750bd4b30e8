import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import type { ShownExchange } from '../server/show-exchange.ts';
import { marksOf } from './words.ts';

type SectionProps = { title: string; more?: string | undefined; children: ComponentChildren };

/** @param props `more` stands behind the title */
export function Section({ title, more, children }: SectionProps) {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>
        {title} <small>{more}</small>
      </h2>
      {children}
    </section>
  );
}

type TableProps = SectionProps & { columns: readonly string[]; class?: string };

/** @param props its title is for screen readers alone; its children are bodies */
export function Table({ title, columns, class: className, children }: TableProps) {
  return (
    <table class={className}>
      <caption class="unseen">{title}</caption>
      <thead>
        <tr>
          {columns.map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      {children}
    </table>
  );
}

export function Marks({ exchange }: { exchange: ShownExchange }) {
  return (
    <span class="flow">
      {[...marksOf(exchange)].map(([mark, tone]) => (
        <span key={mark} class={`mark ${tone}`}>
          {mark}
        </span>
      ))}
    </span>
  );
}
