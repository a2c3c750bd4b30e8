import { dirname, relative, resolve } from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import { LineCounter, parse, parseDocument, YAMLParseError } from 'yaml';
import { messageOf, PatchgateError } from '../../errors.ts';
import { childOf, isObject, type JsonObject } from '../../json/json.ts';
import { tokensOf } from '../../json/pointer.ts';
import { parseFile } from '../../schemas/check.ts';
import { readText } from '../contract-files.ts';

export interface Node {
  value: unknown;
  file: string;
}

const VALIDATOR = new Validator();
/** Why an operation cannot be taken. */
export class LeftOut extends Error {}

/** An OpenAPI document of 3.0 or 3.1, with the files beside it that it refers to. */
export class OpenApiDocument {
  readonly #files: Map<string, unknown>;

  constructor(
    readonly file: string,
    readonly root: JsonObject,
  ) {
    this.#files = new Map([[file, root]]);
  }

  /** What a reference leads to. Nothing is fetched, and nothing above the document's folder is read. @throws LeftOut */
  at(reference: string, from: string): Node {
    const [path = '', fragment = ''] = reference.split('#').map(decodeURIComponent);
    if (/^[a-z][a-z\d+.-]+:|^\/\//i.test(path))
      throw new LeftOut(`${reference} is on the network, and nothing is fetched`);
    const file = path === '' ? from : resolve(dirname(from), path);
    if (relative(dirname(this.file), file).startsWith('..'))
      throw new LeftOut(`${reference} is not below the document's folder`);
    if (!this.#files.has(file)) this.#files.set(file, parsed(file, readText(file)));
    const value = tokensOf(fragment).reduce<unknown>(childOf, this.#files.get(file));
    if (value === undefined) throw new LeftOut(`${reference} leads nowhere`);
    return { value, file };
  }

  /** Follows a reference, and one behind it. @throws LeftOut */
  follow(node: Node): Node {
    for (let steps = 0; isObject(node.value) && typeof node.value.$ref === 'string'; steps++) {
      if (steps === 100) throw new LeftOut(`${node.value.$ref} refers to itself`);
      node = this.at(node.value.$ref, node.file);
    }
    return node;
  }

  /** A member of a place, behind its reference. @throws LeftOut */
  child({ value, file }: Node, name: string): Node {
    return this.follow({ value: childOf(value, name), file });
  }
}

/** @throws PatchgateError `bad-contract` if it is no OpenAPI document, naming file, line and the right form */
export async function readDocument(name: string, text: string): Promise<OpenApiDocument> {
  const root = parsed(name, text);
  const bad = (message: string, hint: string, pointer = '') =>
    new PatchgateError('bad-contract', `${name}${lineOf(text, pointer)}: ${message}`, { hint });
  if (!isObject(root)) throw bad('this is no OpenAPI document', 'it is an object with "openapi" and "paths"');
  const { swagger, openapi } = root;
  if (typeof swagger === 'string')
    throw bad(`OpenAPI ${swagger} is not read`, 'convert it to 3.0 first: npx swagger2openapi', '/swagger');
  if (!/^3\.[01](?:\.|$)/.test(String(openapi)))
    throw bad(`"openapi" is ${JSON.stringify(openapi) ?? 'missing'}`, 'documents of 3.0 and 3.1 are read');
  const validate = async () => VALIDATOR.validate(structuredClone(root));
  const { errors } = await validate().catch((error: unknown) => {
    throw bad(`the document cannot be checked: ${messageOf(error)}`, 'it may be nested too deeply');
  });
  // References are followed, and reported, when an operation needs them.
  if (!Array.isArray(errors)) return new OpenApiDocument(resolve(name), root);
  const [worst] = errors.sort((a, b) => b.instancePath.length - a.instancePath.length);
  const { instancePath: at = '', message, params = {} } = worst ?? {};
  const extra = JSON.stringify(params.additionalProperty ?? params.unevaluatedProperty) ?? '';
  const hint = `correct the document: it is not as OpenAPI ${openapi} says`;
  throw bad(`${at || 'the document'} ${message} ${extra}`.trimEnd(), hint, at);
}

function parsed(name: string, text: string): unknown {
  if (name.endsWith('.json')) return parseFile({ where: name, text }, 'bad-contract');
  try {
    return parse(text, { logLevel: 'error' });
  } catch (cause) {
    const at = cause instanceof YAMLParseError ? cause.linePos?.[0] : undefined;
    const place = at ? `:${at.line}:${at.col}` : '';
    const what = messageOf(cause).replace(/ at line .*/s, '');
    throw new PatchgateError('bad-contract', `${name}${place}: ${what}`, { hint: 'correct the document' });
  }
}

/** `:12:5`. JSON is YAML, too. */
function lineOf(text: string, pointer: string): string {
  const lineCounter = new LineCounter();
  const node = parseDocument(text, { lineCounter }).getIn(tokensOf(pointer), true);
  const { line, col } = lineCounter.linePos((node as { range?: [number] } | undefined)?.range?.[0] ?? 0);
  return `:${line}:${col}`;
}
