import { messageOf, PatchgateError } from '../../errors.ts';
import { childOf, isObject, type JsonObject, type JsonValue } from '../../json/json.ts';
import type { ContractFile, OperationEntry, ParameterForm } from '../../model/contract.ts';
import { checkFile } from '../../schemas/check.ts';
import { type Contract, refusesSomething } from '../contract.ts';
import { contractFrom, formOf, isPattern } from '../load-contract.ts';
import { parametersIn } from '../template.ts';
import { SchemaConverter } from './convert-schema.ts';
import { LeftOut, type Node, OpenApiDocument } from './document.ts';

export interface ImportOptions {
  /** In capitals; PATCH, POST and PUT without them. */
  methods?: readonly string[] | undefined;
  /** Only operations whose `METHOD /path` or id it accepts. */
  only?: (operation: string) => boolean;
  /** Take any text as a parameter of a path. */
  looseParameters?: boolean;
}

/** A contract that was made of an OpenAPI document. */
export interface Imported {
  content: ContractFile;
  /** The one file of schemas. */
  schemas: JsonObject;
  contract: Contract;
  /** Operations with a body that were asked for, and why they are not in the contract. */
  leftOut: { operation: string; why: string }[];
  /** Keywords and formats that nothing is checked of, with their number. */
  dropped: ReadonlyMap<string, number>;
  /** Parameters of which less is checked than the document says: `getUser id`. */
  loosened: string[];
  /** Operations whose body may have further media types, which the gate refuses. */
  otherTypes: string[];
  /** Operations whose example in the document breaks their own schema. */
  badExamples: string[];
}

export const SCHEMAS_FILE = 'schemas.json';
const METHODS = ['PATCH', 'POST', 'PUT'];
const JSON_TYPE = /^(?:application|text)\/(?:[\w.!#$&^-]+\+)?json$/i;

/**
 * Makes a contract of an OpenAPI document.
 *
 * @param file for messages, and for the files that it refers to
 * @throws PatchgateError `bad-contract` where the document is broken, or no operation could be taken
 */
export async function fromOpenApi(
  file: string,
  text: string,
  options: ImportOptions = {},
): Promise<Imported> {
  const document = await OpenApiDocument.read(file, text);
  const { methods = METHODS, only = () => true } = options;
  const converter = new SchemaConverter(document);
  const found: Found = { leftOut: [], loosened: [], otherTypes: [] };
  const operations: Record<string, OperationEntry> = {};
  const examples = new Map<string, JsonValue>();
  const forms = new Set<string>();
  const base = basePathOf(document.root.servers) ?? '';
  for (const { method, path, operation, item } of operationsOf(document, methods, found)) {
    const shown = `${method} ${path}`;
    if (childOf(operation.value, 'requestBody') === undefined) continue;
    const id = String(childOf(operation.value, 'operationId') ?? shown);
    if (!only(shown) && !only(id)) continue;
    try {
      const { entry, example } = entryOf({ method, path, operation, item, id, base });
      const form = `${method} ${formOf(entry.path)}`;
      if (forms.has(form)) throw new LeftOut('another operation has the same method and path');
      if (Object.hasOwn(operations, id)) throw new LeftOut(`another operation has the id ${id}`);
      forms.add(form);
      operations[id] = entry;
      if (example !== undefined) examples.set(id, example);
    } catch (error) {
      if (!(error instanceof LeftOut)) throw error;
      found.leftOut.push({ operation: shown, why: error.message });
    }
  }

  const title = childOf(document.root.info, 'title');
  const content: ContractFile = { contractVersion: 1, source: String(title), base: base || '/', operations };
  const schemas = { $schema: 'https://json-schema.org/draft/2020-12/schema', $defs: converter.defs };
  const contract = contractFrom(content, new Map([[SCHEMAS_FILE, schemas]]), file);
  const badExamples = tryEach(content, contract, examples, found);
  if (Object.keys(operations).length === 0) {
    const [first] = found.leftOut;
    throw new PatchgateError(
      'bad-contract',
      `${file}: no operation could be taken${first ? `; ${first.operation}: ${first.why}` : ''}`,
      { hint: `operations are of the methods ${methods.join(', ')}, and take a JSON body` },
    );
  }
  checkFile('contract', content, { where: file }, 'bad-contract');
  return { content, schemas, contract, dropped: converter.dropped, badExamples, ...found };

  function entryOf({ method, path, operation, item, id, base }: Asked): {
    entry: OperationEntry;
    example: JsonValue | undefined;
  } {
    const own = basePathOf(childOf(operation.value, 'servers') ?? childOf(item.value, 'servers'));
    if (own !== undefined && own !== base) throw new LeftOut(`its server has another path: ${own || '/'}`);
    const body = document.follow({ value: childOf(operation.value, 'requestBody'), file: operation.file });
    const content = childOf(body.value, 'content');
    const types = Object.entries(isObject(content) ? content : {});
    const json = types.filter(([type]) => JSON_TYPE.test((type.split(';')[0] as string).trim()));
    if (json.length === 0) throw new LeftOut('its body is not JSON');
    const named: [type: string, schema: string][] = [];
    for (const [type, media] of json) {
      const schema = childOf(media, 'schema');
      if (schema === undefined) throw new LeftOut('its body has no schema');
      const name = converter.add(`${id}.body`, { value: schema, file: body.file });
      named.push([(type.split(';')[0] as string).trim().toLowerCase(), `${SCHEMAS_FILE}#/$defs/${name}`]);
    }
    const { template, parameters } = pathOf(path, id, [operation, item]);
    if (json.length < types.length) found.otherTypes.push(id);
    const entry: OperationEntry = {
      ...{ method, path: template, parameters },
      ...(named.length === 1 && !named[0]?.[0].startsWith('text/')
        ? { schema: (named[0] as [string, string])[1] }
        : { schemas: Object.fromEntries(named) }),
      ...(childOf(body.value, 'required') !== true && { body: 'optional' as const }),
      rules: [],
    };
    return { entry, example: exampleOf({ value: json[0]?.[1], file: body.file }) };
  }

  function exampleOf({ value, file }: Node): JsonValue | undefined {
    const own = childOf(value, 'example');
    const all = childOf(value, 'examples');
    const first = isObject(all) ? Object.values(all)[0] : undefined;
    if (own !== undefined || first === undefined) return own as JsonValue | undefined;
    return childOf(document.follow({ value: first, file }).value, 'value') as JsonValue | undefined;
  }

  function pathOf(path: string, id: string, holders: readonly Node[]) {
    const names = new Map<string, string>();
    const template = path.replace(/\{([^{}]*)\}/g, (_, name: string) => {
      let plain = name.replace(/\W/g, '_').replace(/^(?=\d|$)/, '_');
      while ([...names.values()].includes(plain)) plain += '_';
      names.set(name, plain);
      return `{${plain}}`;
    });
    const bare = template.replace(/\/$/, '');
    if (!TEMPLATE.test(bare) || parametersIn(bare).length !== names.size)
      throw new LeftOut('no path can be told to match its template');
    const parameters: Record<string, ParameterForm> = {};
    for (const [name, plain] of names) {
      const described = holders
        .flatMap(({ value, file }) => {
          const list = childOf(value, 'parameters');
          return Array.isArray(list) ? list.map((value) => document.follow({ value, file })) : [];
        })
        .find(({ value }) => childOf(value, 'name') === name && childOf(value, 'in') === 'path');
      const schema =
        described && document.follow({ value: childOf(described.value, 'schema'), file: described.file });
      const { form, isLoose } = formOfParameter(schema?.value, options.looseParameters ?? false);
      parameters[plain] = form;
      if (isLoose) found.loosened.push(`${id} ${name}`);
    }
    return { template: bare, parameters };
  }
}

const TEMPLATE = /^(?:\/(?:[\w~!$&'()*+,;=:@.-]|\{[A-Za-z_]\w*\}(?!\{))+)+$/;

type Found = Pick<Imported, 'leftOut' | 'loosened' | 'otherTypes'>;

interface Listed {
  method: string;
  path: string;
  operation: Node;
  item: Node;
}
type Asked = Listed & { id: string; base: string };

function* operationsOf(
  document: OpenApiDocument,
  methods: readonly string[],
  { leftOut }: Found,
): Iterable<Listed> {
  for (const [path, value] of Object.entries(isObject(document.root.paths) ? document.root.paths : {})) {
    try {
      const item = document.follow({ value, file: document.file });
      for (const method of methods) {
        const own = childOf(item.value, method.toLowerCase());
        if (own !== undefined)
          yield { method, path, operation: document.follow({ value: own, file: item.file }), item };
      }
    } catch (error) {
      if (!(error instanceof LeftOut)) throw error;
      leftOut.push({ operation: path, why: error.message });
    }
  }
}

/** The path of the first server, without a slash at its end; undefined: none is named. */
function basePathOf(servers: unknown): string | undefined {
  const server: unknown = Array.isArray(servers) ? servers[0] : undefined;
  const url = childOf(server, 'url');
  if (typeof url !== 'string') return undefined;
  const filled = url.replace(/\{([^{}]*)\}/g, (_, name: string) =>
    String(childOf(childOf(childOf(server, 'variables'), name), 'default') ?? 'x'),
  );
  if (!URL.canParse(filled, 'http://localhost')) return undefined;
  return new URL(filled, 'http://localhost').pathname.replace(/\/$/, '');
}

/** @param isLoosened take any text */
function formOfParameter(schema: unknown, isLoosened: boolean): { form: ParameterForm; isLoose: boolean } {
  const { type, format, enum: values, pattern } = isObject(schema) ? schema : ({} as JsonObject);
  if (isLoosened)
    return { form: { type: 'string' }, isLoose: type === 'integer' || Boolean(values ?? pattern) };
  if (type === 'integer') return { form: { type: format === 'int32' ? 'int32' : 'integer' }, isLoose: false };
  if (type !== undefined && type !== 'string') return { form: { type: 'string' }, isLoose: true };
  const form: ParameterForm = { type: 'string' };
  if (Array.isArray(values) && values.length > 0) form.enum = values.map(String);
  if (typeof pattern === 'string' && isPattern(pattern)) form.pattern = pattern;
  if (format === 'uuid' || format === 'date' || format === 'date-time') form.format = format;
  return { form, isLoose: pattern !== undefined && form.pattern === undefined };
}

/** Leaves out what does not compile or refuses nothing, and gives the rest its example. @returns whose example is bad */
function tryEach(
  { operations }: ContractFile,
  contract: Contract,
  examples: ReadonlyMap<string, JsonValue>,
  { leftOut }: Found,
): string[] {
  const bad: string[] = [];
  for (const [id, { method, path }] of Object.entries(operations)) {
    const why = whyNot(contract, id);
    const example = examples.get(id);
    if (why !== undefined) {
      leftOut.push({ operation: `${method} ${path}`, why });
      delete operations[id];
      delete (contract.entries as Record<string, OperationEntry>)[id];
    } else if (example !== undefined) {
      if (
        contract
          .load(id)
          .bodies[0].check(example)
          .some(({ severity }) => severity === 'error')
      )
        bad.push(id);
      else
        for (const entry of [operations[id], contract.load(id).entry])
          (entry as OperationEntry).example = { body: example };
    }
  }
  return bad;
}

function whyNot(contract: Contract, id: string): string | undefined {
  try {
    return contract.load(id).bodies.every(refusesSomething) ? undefined : 'its schema takes every body';
  } catch (error) {
    return messageOf(error);
  }
}

/** `68 operations taken, 2 left out (PUT /a: it has no body; …)`, in one line. */
export function summaryOf({ content, leftOut }: Imported): string {
  const taken = Object.keys(content.operations).length;
  const first = leftOut.slice(0, 3).map(({ operation, why }) => `${operation}: ${why}`);
  if (leftOut.length > first.length) first.push('…');
  const out = leftOut.length === 0 ? 'none' : `${leftOut.length} (${first.join('; ')})`;
  return `${taken} operations taken, ${out} left out`;
}
