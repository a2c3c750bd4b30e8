import { dirname, extname, relative, resolve } from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import { LineCounter, parseDocument } from 'yaml';
import { messageOf, PatchgateError } from '../../errors.ts';
import { childOf, isObject, type JsonObject } from '../../json/json.ts';
import { faultOf, findPlace, placeAt } from '../../json/json-text.ts';
import { tokensOf } from '../../json/pointer.ts';
import { readText } from '../contract-files.ts';

/** A place in a document, or in another file that it refers to. */
export interface Node {
  value: unknown;
  /** Absolute name of the file. */
  file: string;
}

/** Why an operation cannot be taken. */
export class LeftOut extends Error {}

/** An OpenAPI document of 3.0 or 3.1, with the files beside it that it refers to. */
export class OpenApiDocument {
  readonly root: JsonObject;
  readonly file: string;
  readonly #files = new Map<string, unknown>();

  private constructor(file: string, root: JsonObject) {
    this.file = file;
    this.root = root;
    this.#files.set(file, root);
  }

  /** @throws PatchgateError `bad-contract` where it is no OpenAPI document, naming file, line and what is meant */
  static async read(name: string, text: string): Promise<OpenApiDocument> {
    const file = resolve(name);
    const root = parsed(file, text, name);
    const bad = (message: string, hint: string, pointer = '') =>
      new PatchgateError('bad-contract', `${name}${lineOf(text, file, pointer)}: ${message}`, { hint });
    if (!isObject(root))
      throw bad('this is no OpenAPI document', 'it is an object with "openapi" and "paths"');
    if (typeof root.swagger === 'string')
      throw bad(
        `OpenAPI ${root.swagger} is not read`,
        'convert it to 3.0 first: npx swagger2openapi',
        '/swagger',
      );
    if (!/^3\.[01](?:\.|$)/.test(String(root.openapi)))
      throw bad(
        `"openapi" is ${JSON.stringify(root.openapi) ?? 'missing'}`,
        'documents of 3.0 and 3.1 are read',
      );
    const document = new OpenApiDocument(file, root);
    const errors = await problemsOf(root).catch((error: unknown) => {
      throw bad(`the document cannot be checked: ${messageOf(error)}`, 'it may be nested too deeply');
    });
    // References are followed, and reported, where an operation needs them.
    if (!Array.isArray(errors)) return document;
    const [worst] = errors.sort((a, b) => b.instancePath.length - a.instancePath.length);
    const { instancePath = '', message, params } = worst ?? {};
    const extra = params?.additionalProperty ?? params?.unevaluatedProperty;
    const what = extra === undefined ? '' : ` ${JSON.stringify(extra)}`;
    throw bad(
      `${instancePath || 'the document'} ${message}${what}`,
      `correct the document: it is not as OpenAPI ${root.openapi} says`,
      instancePath,
    );
  }

  /** What a reference leads to. Nothing is fetched, and nothing above the document's folder is read. @throws LeftOut */
  at(reference: string, from: string): Node {
    const [path = '', fragment = ''] = reference.split('#');
    if (/^[a-z][a-z\d+.-]+:|^\/\//i.test(path))
      throw new LeftOut(`${reference} is on the network, and nothing is fetched`);
    const file = path === '' ? from : resolve(dirname(from), safely(path));
    if (relative(dirname(this.file), file).startsWith('..'))
      throw new LeftOut(`${reference} is not below the document's folder`);
    const root = this.#fileAt(file);
    const tokens = fragment === '' ? [] : tokensOf(safely(fragment));
    const value = tokens.reduce<unknown>(childOf, root);
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

  #fileAt(file: string): unknown {
    if (!this.#files.has(file)) {
      try {
        this.#files.set(file, parsed(file, readText(file), file));
      } catch (error) {
        throw new LeftOut(messageOf(error));
      }
    }
    return this.#files.get(file);
  }
}

/** A text: a reference that leads nowhere. */
async function problemsOf(root: JsonObject) {
  return (await new Validator().validate(structuredClone(root))).errors;
}

function safely(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const isJson = (file: string) => extname(file) === '.json';

/** @param name for messages */
function parsed(file: string, text: string, name: string): unknown {
  const bad = (line: string, message: string) =>
    new PatchgateError('bad-contract', `${name}${line}: ${message}`, { hint: 'correct the document' });
  if (isJson(file)) {
    try {
      return JSON.parse(text);
    } catch (error) {
      const fault = faultOf(text);
      const { line, column } = placeAt(text, fault?.offset ?? 0);
      throw bad(`:${line}:${column}`, fault?.message ?? messageOf(error));
    }
  }
  try {
    const document = parseDocument(text);
    const [error] = document.errors;
    if (!error) return document.toJS();
    const { line, col } = error.linePos?.[0] ?? { line: 1, col: 1 };
    throw bad(`:${line}:${col}`, error.message.split('\n')[0]?.replace(/ at line .*$/, '') as string);
  } catch (error) {
    if (error instanceof PatchgateError) throw error;
    throw bad('', messageOf(error));
  }
}

/** `:12:5` */
function lineOf(text: string, file: string, pointer: string): string {
  if (isJson(file)) {
    const { line, column } = findPlace(text, pointer);
    return `:${line}:${column}`;
  }
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const node = document.getIn(tokensOf(pointer), true) as { range?: [number] } | undefined;
  const { line, col } = lines.linePos(node?.range?.[0] ?? 0);
  return `:${line}:${col}`;
}
