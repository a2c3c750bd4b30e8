/** Judges what reached a target without any code of the gate: by other parsers, other routers, and Ajv alone. */
import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Received } from '../../support/target.ts';
import { readJson } from './read-json.ts';
import { readMethods } from './read-methods.ts';
import { type Kind, PATH_HEADERS, pathReaders } from './read-path.ts';

const ajv = new Ajv2020({ strict: false });
ajv.addFormat('url', (text: string) => text === '' || URL.canParse(text));
// Only warns.
ajv.addFormat('http-url', true);
const schema = (file: string) =>
  JSON.parse(readFileSync(new URL(`../../../schemas/${file}`, import.meta.url), 'utf8'));
ajv.addSchema(schema('url-item.json'));
const VALID = {
  project: ajv.compile(schema('update-project.json')),
  feature: ajv.compile(schema('update-feature.json')),
  draft: ajv.compile(schema('update-draft.json')),
};

/** Why a request that reached the target should not have: one line for each reading in which it is no valid PATCH. */
export function objections(received: Received): string[] {
  if (!readMethods(received).has('PATCH')) return [];
  const kinds = new Map<Kind, string>();
  for (const target of targetsOf(received)) {
    for (const [reader, read] of Object.entries(READERS)) {
      const kind = read(target);
      if (kind !== undefined && !kinds.has(kind)) kinds.set(kind, `${reader} reads ${target} as a ${kind}`);
    }
  }
  return [...kinds].flatMap(([kind, reading]) =>
    [...wrongBody(kind, received), ...wrongHeaders(received)].map(
      (what) => `${reading}, and the body ${what}`,
    ),
  );
}

const READERS = pathReaders();

function targetsOf({ url, rawHeaders }: Received): string[] {
  const targets = [url];
  // CodeIgniter takes a query that is no list of names and values for the path.
  const query = /\?([^=&]*\/.*)$/s.exec(url)?.[1];
  if (query !== undefined) targets.push(`/${query.replace(/^\/+/, '')}`);
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] as string).toLowerCase().replace(/[^a-z0-9]/g, '-');
    const value = rawHeaders[i + 1] as string;
    if (PATH_HEADERS.includes(name)) targets.push(/^\/|:\/\//.test(value) ? value : `/${value}`);
  }
  return targets;
}

/** What makes another body of the same bytes. */
function wrongHeaders({ method, rawHeaders }: Received): string[] {
  const wrong: string[] = [];
  let isTyped = false;
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] as string).toLowerCase();
    const value = (rawHeaders[i + 1] as string).trim().toLowerCase();
    if (/^content[^a-z0-9](?:type|encoding)$/.test(name) && name[7] !== '-')
      wrong.push(`has ${name} to some`);
    if (name !== 'content-type') continue;
    if (value !== '') isTyped = true;
    if (/urlencoded|multipart/.test(value)) wrong.push(`is a form to some: ${value}`);
    // A reader that looks for the word anywhere, and takes whatever follows the next `=`.
    for (const [, charset] of value.matchAll(/charset[^=]*=[\s"']*([^\s"';]*)/g))
      if (charset !== 'utf-8' && charset !== 'utf8') wrong.push(`is in ${charset} to some`);
  }
  if (!isTyped && method !== 'PATCH') wrong.push('has no type, and is a form to some');
  return wrong;
}

function wrongBody(kind: Kind, { body, headers }: Received): string[] {
  let decoded: Buffer;
  try {
    decoded = decode(body, headers['content-encoding'] ?? '');
  } catch (error) {
    return [`cannot be decoded: ${error}`];
  }
  const wrong = wrongText(kind, decoded.toString('utf8'));
  // A server that knows no codings sees the coded bytes. Mostly these are no JSON, and go no further.
  if (decoded !== body && isJson(body.toString('utf8')))
    wrong.push(...wrongText(kind, body.toString('utf8')));
  return wrong;
}

function wrongText(kind: Kind, text: string): string[] {
  const readings: [reader: string, value: unknown][] = [];
  try {
    readings.push(['JSON.parse', JSON.parse(text)]);
    readings.push(['a first-key-wins reader', readJson(text, 'first')]);
    readings.push(['a last-key-wins reader', readJson(text, 'last')]);
  } catch (error) {
    return [`is no JSON: ${error}`];
  }
  const wrong = readings
    .filter(([, value]) => !VALID[kind](value))
    .map(([reader]) => `is no valid ${kind} to ${reader}`);
  if (readings.some(([, value]) => !isDeepStrictEqual(value, readings[0]?.[1])))
    wrong.push('is not the same to all readers');
  return wrong;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const DECODERS: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  gzip: gunzipSync,
  'x-gzip': gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
  identity: (bytes) => bytes,
};

function decode(body: Buffer, codings: string): Buffer {
  const names = codings
    .toLowerCase()
    .split(',')
    .map((name) => name.trim());
  return names.filter(Boolean).reduceRight((bytes, name) => {
    const decoder = DECODERS[name];
    if (!decoder) throw new Error(`what is ${name}?`);
    return decoder(bytes);
  }, body);
}
