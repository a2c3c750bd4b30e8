import { isUtf8 } from 'node:buffer';
import type { JsonValue } from '../../json/json.ts';
import { syntaxErrorOf } from '../../json/json-text.ts';
import type { PatternNode } from '../../json/pointer-pattern.ts';
import type { RecordedResponse, StoredHeaders } from '../../model/exchange.ts';
import { bodyBytes, jsonOf } from '../body.ts';
import { sameBodyText, sameText } from '../matching/same-text.ts';
import { cut } from '../matching/shown-value.ts';
import { redactHeader, redactText } from '../redaction/redact.ts';
import type { Redaction } from '../redaction/redaction.ts';
import { compareJson } from './compare-json.ts';
import { differentParts } from './different-parts.ts';
import { Drifts } from './drifts.ts';

/** What makes two answers differ. */
export interface DriftRules {
  /** Places in JSON bodies that may be anything. */
  ignored: PatternNode | undefined;
  /** Arrays whose order does not matter. */
  sets: PatternNode | undefined;
  /** Names in lower case of the headers that count. */
  headers: ReadonlySet<string>;
  redaction: Redaction;
}

/**
 * How a live answer differs from the recorded one. Of an answer with another status nothing else is compared: it is another
 * kind of answer, of which everything differs. Pure.
 *
 * @param recorded redacted as the live one is
 * @param recordedBytes those of a recorded body that is in a file of its own
 * @param live as a recording would keep it, its body with it
 */
export function compareAnswers(
  recorded: RecordedResponse,
  recordedBytes: Buffer | undefined,
  live: RecordedResponse,
  rules: DriftRules,
): Drifts {
  const drifts = new Drifts();
  if (recorded.status !== live.status) {
    drifts.add(
      'drift.status',
      'status',
      [],
      () => `the status is ${live.status}, recorded ${recorded.status}`,
    );
    return drifts;
  }
  for (const name of rules.headers)
    compareHeader(name, recorded.headers, live.headers, rules.redaction, drifts);
  if (!rules.ignored?.isMeant) {
    compareBodies(contentOf(recorded, recordedBytes), contentOf(live, undefined), rules, drifts);
  }
  return drifts;
}

function compareHeader(
  name: string,
  recorded: StoredHeaders,
  live: StoredHeaders,
  redaction: Redaction,
  drifts: Drifts,
): void {
  const [before, now] = [textOf(name, recorded), textOf(name, live)];
  if (before === now) return;
  if (before !== undefined && now !== undefined && sameText(plain(name, before), plain(name, now))) return;
  const shown = (value: string) => cut(JSON.stringify(redactHeader(name, value, redaction)));
  drifts.add('drift.header', `headers/${name}`, [], () => {
    if (now === undefined) return `the header ${name} is gone, recorded ${shown(before as string)}`;
    if (before === undefined) return `the header ${name} is new: live ${shown(now)}`;
    return `the header ${name} is ${shown(now)}, recorded ${shown(before)}`;
  });
}

function textOf(name: string, headers: StoredHeaders): string | undefined {
  return Object.hasOwn(headers, name) ? [headers[name] as string | string[]].flat().join(', ') : undefined;
}

/** The case of a media type says nothing, nor do the spaces around its parameters. */
function plain(name: string, value: string): string {
  return name === 'content-type' ? value.toLowerCase().replace(/\s*;\s*/g, ';') : value;
}

type Content = { kind: 'none' } | { kind: 'JSON'; json: JsonValue } | { kind: 'text'; text: string } | Bytes;
type Bytes = { kind: 'bytes'; bytes: Buffer } | { kind: 'bytes'; notKept: string };

function contentOf(
  { headers, body }: Pick<RecordedResponse, 'headers' | 'body'>,
  bytes: Buffer | undefined,
): Content {
  if (body === undefined) return { kind: 'none' };
  if ('omitted' in body) return { kind: 'bytes', notKept: whyNotKept(textOf('content-encoding', headers)) };
  if ('file' in body && bytes && isUtf8(bytes))
    return contentOf({ headers, body: { text: bytes.toString('utf8') } }, undefined);
  if ('file' in body) return { kind: 'bytes', bytes: bytes ?? Buffer.alloc(0) };
  const json = jsonOf(body);
  if (json !== undefined) return { kind: 'JSON', json };
  return 'text' in body ? { kind: 'text', text: body.text } : { kind: 'bytes', bytes: bodyBytes(body) };
}

/** @param coding that which was not undone */
function whyNotKept(coding: string | undefined): string {
  if (coding === undefined) return 'is longer than --record-limit';
  return `cannot be decoded (${cut(JSON.stringify(coding))}), or gives too much`;
}

const SHOWN = { none: 'nothing', JSON: 'JSON', text: 'text', bytes: 'bytes that are no text' };

function shownKind(content: Content): string {
  if (content.kind !== 'text' || !/^\s*[[{]/.test(content.text)) return SHOWN[content.kind];
  if (syntaxErrorOf(content.text)) return 'no valid JSON';
  return 'JSON that not all readers understand alike (a name twice, a large number, very deep)';
}

function compareBodies(before: Content, now: Content, rules: DriftRules, drifts: Drifts): void {
  const differ = (message: () => string) => drifts.add('drift.body', 'body', [], message);
  if (before.kind === 'JSON' && now.kind === 'JSON')
    compareJson(before.json, now.json, rules, rules.redaction, drifts);
  else if ('notKept' in now) differ(() => `the body was not compared: it ${now.notKept}`);
  else if (before.kind !== now.kind) {
    drifts.add(
      'drift.type-changed',
      'body',
      [],
      () => `the body is ${shownKind(now)}, recorded as ${shownKind(before)}`,
    );
  } else if (before.kind === 'text' && now.kind === 'text') {
    const [a, b] = [before.text, now.text];
    if (a === b || sameBodyText(a, b)) return;
    const [was, is] = differentParts(a, b);
    const shown = (line: string) => cut(JSON.stringify(redactText(line, rules.redaction)));
    differ(() => `the text is another one: live ${shown(is)}, recorded ${shown(was)}`);
  } else if ('bytes' in before && 'bytes' in now && !before.bytes.equals(now.bytes)) {
    differ(() => `the bytes are other ones: live ${now.bytes.length}, recorded ${before.bytes.length}`);
  }
}
