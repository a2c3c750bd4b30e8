import { Fragment } from 'preact';
import type { Severity } from '../model/finding.ts';
import { amount, sanitize } from '../reporters/wording.ts';
import type { ShownBody } from '../server/show-exchange.ts';
import { jsonLines, nameIn, placeInLines } from './json-lines.ts';

/** A finding's place in a body. */
export interface BodyMark {
  /** Of the marked line in the page. */
  id: string;
  severity: Severity;
  /** In a JSON body. */
  pointer: string;
  /** In any other body, from 1. */
  line: number;
}

/** A body as text. The lines that findings are about are marked, and can be linked to. */
export function Body({ body, marks = [] }: { body: ShownBody | undefined; marks?: readonly BodyMark[] }) {
  if (!body) return null;
  const isJson = 'json' in body;
  const text = isJson ? '' : 'text' in body ? body.text : body.base64;
  const lines = isJson ? jsonLines(body.json) : text.split(/\r?\n/).map(sanitize);
  const placed = marks.map((mark) => ({
    ...{ mark, missing: undefined },
    ...(isJson ? placeInLines(body.json, mark.pointer) : { line: Math.min(mark.line, lines.length) - 1 }),
  }));
  return (
    <div class="code">
      {lines.map((line, i) => {
        const here = placed.filter((one) => one.line === i);
        const name = isJson ? nameIn(line) : '';
        return (
          <Fragment key={i}>
            <MarkedLine marks={here.filter(({ missing }) => missing === undefined).map(({ mark }) => mark)}>
              <span class="name">{name}</span>
              {line.slice(name.length)}
            </MarkedLine>
            {here.map(
              ({ mark, missing }) =>
                missing !== undefined && (
                  <MarkedLine key={mark.id} marks={[mark]}>
                    <em>{sanitize(missing)} is missing here</em>
                  </MarkedLine>
                ),
            )}
          </Fragment>
        );
      })}
    </div>
  );
}

type MarkedLineProps = { marks: readonly BodyMark[]; children: preact.ComponentChildren };

function MarkedLine({ marks, children }: MarkedLineProps) {
  const tone = marks.some(({ severity }) => severity === 'error') ? 'bad' : 'warn';
  return (
    <div class={marks.length > 0 ? `line ${tone}` : 'line'}>
      {marks.map(({ id }) => (
        <span key={id} id={id} tabIndex={-1} />
      ))}
      {children}
    </div>
  );
}

/** `JSON, 149 bytes` */
export function bodyWords(body: ShownBody | undefined): string {
  if (!body) return 'no body';
  const as = 'json' in body ? 'JSON' : 'text' in body ? 'text' : 'base64';
  return `${as}, ${amount(body.size, 'byte')}${body.cut ? ', only the beginning was kept' : ''}`;
}
