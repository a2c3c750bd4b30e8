import { type ComponentChildren, Fragment } from 'preact';
import { amount, sanitize } from '../reporters/wording.ts';
import type { ShownBody } from '../server/show-exchange.ts';
import { jsonLines, type PlaceInLines, placeInLines } from './json-lines.ts';

/** What is to be said of a place in a body. */
export interface Mark {
  id: string;
  /** Of a JSON body. */
  pointer: string;
  /** Of any other body; from 1. */
  line?: number | undefined;
  column?: number | undefined;
  tone: 'bad' | 'warn';
  text: ComponentChildren;
}

/** A body as text, each mark below the line that it is about. */
export function Body({ body, marks = [] }: { body: ShownBody | undefined; marks?: readonly Mark[] }) {
  if (!body) return <p class="quiet">No body.</p>;
  return (
    <>
      <p class="quiet">{describe(body)}</p>
      {'json' in body ? (
        <JsonBody json={body.json} marks={marks} />
      ) : (
        <TextBody text={'text' in body ? body.text : body.base64} marks={marks} />
      )}
    </>
  );
}

function describe(body: ShownBody): string {
  const as =
    'json' in body ? 'JSON, formatted' : 'text' in body ? 'Text' : 'Bytes that are no text, in base64';
  const size = amount(body.size, 'byte');
  return body.cut ? `${as}; only the beginning of ${size} was kept` : `${as}; ${size}`;
}

function JsonBody({
  json,
  marks,
}: {
  json: Extract<ShownBody, { json: unknown }>['json'];
  marks: readonly Mark[];
}) {
  const lines = jsonLines(json);
  const places = marks.map(({ pointer }) => placeInLines(lines, pointer));
  const texts = lines.map(({ depth, name, value }) => [indent(depth), name, value] as const);
  return (
    <Code
      lines={texts.map(([space, name, value]) => (
        <>
          {space}
          {name && <span class="name">{name}</span>}
          {value}
        </>
      ))}
      marks={marks.map((mark, i) => {
        const { line, missing } = places[i] as PlaceInLines;
        return { mark, line, missing, before: missing ? indent(missing.depth) : (texts[line]?.[0] ?? '') };
      })}
    />
  );
}

const indent = (depth: number) => '  '.repeat(depth);

function TextBody({ text, marks }: { text: string; marks: readonly Mark[] }) {
  const lines = text.split(/\r?\n/);
  return (
    <Code
      lines={lines.map((line) => sanitize(line))}
      marks={marks.map((mark) => {
        const line = Math.min(mark.line ?? 1, lines.length) - 1;
        return { mark, line, before: ' '.repeat(Math.min((mark.column ?? 1) - 1, lines[line]?.length ?? 0)) };
      })}
    />
  );
}

interface PlacedMark {
  missing?: PlaceInLines['missing'] | undefined;
  mark: Mark;
  line: number;
  /** Stands before the caret. */
  before: string;
}

function Code({ lines, marks }: { lines: readonly ComponentChildren[]; marks: readonly PlacedMark[] }) {
  return (
    <div class="code">
      {lines.map((line, i) => {
        const here = marks.filter((one) => one.line === i && !one.missing);
        const missing = marks.filter((one) => one.line === i && one.missing);
        const marked = here[0]?.mark.tone;
        return (
          <div key={i}>
            <div class={`line ${marked ? `marked ${marked}` : ''}`}>
              <span>{line}</span>
            </div>
            {here.length > 0 && (
              <div class={`caret ${marked}`} aria-hidden="true">
                {here[0]?.before}^
              </div>
            )}
            {here.map(({ mark }) => (
              <MarkBelow key={mark.id} mark={mark} />
            ))}
            {missing.map((one, j) => (
              <Fragment key={one.mark.id}>
                {one.missing?.name !== missing[j - 1]?.missing?.name && <MissingHere {...one} />}
                <MarkBelow mark={one.mark} />
              </Fragment>
            ))}
          </div>
        );
      })}
    </div>
  );
}

function MissingHere({ mark: { tone }, missing, before }: PlacedMark) {
  return (
    <div class={`missing ${tone}`}>
      {before}
      <span>{sanitize(missing?.name ?? '')}</span> is missing here
    </div>
  );
}

function MarkBelow({ mark: { id, tone, text } }: { mark: Mark }) {
  return (
    <div class={`mark ${tone}`} id={id} tabIndex={-1}>
      {text}
    </div>
  );
}
