import { messageOf, PatchgateError } from '../../errors.ts';
import { childOf, isObject, type JsonObject, type JsonValue } from '../../json/json.ts';
import type { ContractFile, OperationEntry, ParameterForm } from '../../model/contract.ts';
import { checkFile } from '../../schemas/check.ts';
import { type Contract, refusesSomething } from '../contract.ts';
import { contractFrom, formOf, isPattern } from '../load-contract.ts';
import { parametersIn } from '../path.ts';
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
const JSON_TYPE = /^(?:application|text)\/(?:[\w.!#$&^-]+\+)?json$/i;
const TEMPLATE = /^(?:\/(?:[\w~!$&'()*+,;=:@.-]|\{[A-Za-z_]\w*\}(?!\{))+)+$/;

/**
 * Makes a contract of an OpenAPI document.
 *
 * @param file for messages, and for the files that it refers to
 * @throws PatchgateError `bad-contract` where the document is broken, or no operation could be taken
 */
export async function fromOpenApi(
  file: string,
  text: string,
  { methods = ['PATCH', 'POST', 'PUT'], only = () => true, looseParameters = false }: ImportOptions = {},
): Promise<Imported> {
  const document = await OpenApiDocument.read(file, text);
  const converter = new SchemaConverter(document);
  const found: Pick<Imported, 'leftOut' | 'loosened' | 'otherTypes' | 'badExamples'> = {
    ...{ leftOut: [], loosened: [], otherTypes: [], badExamples: [] },
  };
  const { root } = document;
  const operations: Record<string, OperationEntry> = {};
  const forms = new Set<string>();
  const base = basePathOf(root.servers) ?? '';
  const leaveOut = (operation: string, error: unknown) => {
    if (!(error instanceof LeftOut)) throw error;
    found.leftOut.push({ operation, why: error.message });
  };
  const child = ({ value, file }: Node, name: string) =>
    document.follow({ value: childOf(value, name), file });

  for (const path of Object.keys(isObject(root.paths) ? root.paths : {})) {
    try {
      const item = child({ value: root.paths, file: document.file }, path);
      for (const method of methods) if (childOf(item.value, method.toLowerCase())) take(method, path, item);
    } catch (error) {
      leaveOut(path, error);
    }
  }
  const title = String(childOf(root.info, 'title'));
  const content: ContractFile = { contractVersion: 1, source: title, base: base || '/', operations };
  const schemas = { $schema: 'https://json-schema.org/draft/2020-12/schema', $defs: converter.defs };
  const made = contractFrom(content, new Map([[SCHEMAS_FILE, schemas]]), file);
  for (const [id, entry] of Object.entries(operations)) tryOne(id, entry, made);
  if (Object.keys(operations).length === 0) {
    const [first] = found.leftOut;
    const why = first ? `; ${first.operation}: ${first.why}` : '';
    const hint = `operations are of the methods ${methods.join(', ')}, and take a JSON body`;
    throw new PatchgateError('bad-contract', `${file}: no operation could be taken${why}`, { hint });
  }
  checkFile('contract', content, { where: file }, 'bad-contract');
  // Without what was left out.
  const contract = {
    ...made,
    entries: Object.fromEntries(Object.keys(operations).map((id) => [id, made.load(id).entry])),
  };
  return { content, schemas, contract, dropped: converter.dropped, ...found };

  function take(method: string, path: string, item: Node): void {
    const shown = `${method} ${path}`;
    const operation = child(item, method.toLowerCase());
    const id = String(childOf(operation.value, 'operationId') ?? shown);
    if (childOf(operation.value, 'requestBody') === undefined || !(only(shown) || only(id))) return;
    try {
      const entry = entryOf(method, path, operation, item, id);
      const form = `${method} ${formOf(entry.path)}`;
      if (forms.has(form)) throw new LeftOut('another operation has the same method and path');
      if (Object.hasOwn(operations, id)) throw new LeftOut(`another operation has the id ${id}`);
      forms.add(form);
      operations[id] = entry;
    } catch (error) {
      leaveOut(shown, error);
    }
  }

  function entryOf(method: string, path: string, operation: Node, item: Node, id: string): OperationEntry {
    const own = basePathOf(childOf(operation.value, 'servers') ?? childOf(item.value, 'servers'));
    if (own !== undefined && own !== base) throw new LeftOut(`its server has another path: ${own || '/'}`);
    const body = child(operation, 'requestBody');
    const types = Object.entries((childOf(body.value, 'content') ?? {}) as JsonObject).map(
      ([type, media]) => [(type.split(';')[0] as string).trim().toLowerCase(), media] as const,
    );
    const json = types.filter(([type]) => JSON_TYPE.test(type));
    if (json.length === 0) throw new LeftOut('its body is not JSON');
    const named = json.map(([type, media]) => {
      const value = childOf(media, 'schema');
      if (value === undefined) throw new LeftOut('its body has no schema');
      const own = converter.add(`${id}.body`, { value, file: body.file });
      return [type, `${SCHEMAS_FILE}#/$defs/${own}`] as const;
    });
    const { template, parameters } = pathOf(path, id, [operation, item]);
    if (json.length < types.length) found.otherTypes.push(id);
    const [type, schema] = named[0] as (typeof named)[number];
    const example = exampleOf({ value: json[0]?.[1], file: body.file });
    return {
      ...{ method, path: template, parameters },
      ...(named.length === 1 && !type.startsWith('text/')
        ? { schema }
        : { schemas: Object.fromEntries(named) }),
      ...(childOf(body.value, 'required') !== true && { body: 'optional' as const }),
      rules: [],
      ...(example !== undefined && { example: { body: example } }),
    };
  }

  function exampleOf(media: Node): JsonValue | undefined {
    const all = childOf(media.value, 'examples');
    const first = isObject(all) ? Object.keys(all)[0] : undefined;
    const one = first === undefined ? undefined : child({ ...media, value: all }, first).value;
    return (childOf(media.value, 'example') ?? childOf(one, 'value')) as JsonValue | undefined;
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
    const described = holders.flatMap(({ value, file }) =>
      [childOf(value, 'parameters') ?? []].flat().map((one) => document.follow({ value: one, file })),
    );
    const parameters: Record<string, ParameterForm> = {};
    for (const [name, plain] of names) {
      const of = described.find(
        ({ value }) => childOf(value, 'name') === name && childOf(value, 'in') === 'path',
      );
      const { form, isLoose } = formOfParameter(of && child(of, 'schema').value, looseParameters);
      parameters[plain] = form;
      if (isLoose) found.loosened.push(`${id} ${name}`);
    }
    return { template: bare, parameters };
  }

  /** Leaves out what does not compile or refuses nothing, and takes a bad example away. */
  function tryOne(id: string, { method, path, example }: OperationEntry, { load }: Contract): void {
    let why: string | undefined;
    try {
      const { bodies, entry } = load(id);
      if (!bodies.every(refusesSomething)) why = 'its schema takes every body';
      else if (example && bodies[0].check(example.body).some(({ severity }) => severity === 'error')) {
        found.badExamples.push(id);
        delete entry.example;
        delete operations[id]?.example;
      }
    } catch (error) {
      why = messageOf(error);
    }
    if (why === undefined) return;
    found.leftOut.push({ operation: `${method} ${path}`, why });
    delete operations[id];
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

/** @param takesAny take any text */
function formOfParameter(schema: unknown, takesAny: boolean): { form: ParameterForm; isLoose: boolean } {
  const { type, format, enum: values, pattern } = isObject(schema) ? schema : ({} as JsonObject);
  const form: ParameterForm = { type: 'string' };
  if (takesAny) return { form, isLoose: type === 'integer' || Boolean(values ?? pattern) };
  if (type === 'integer') return { form: { type: format === 'int32' ? 'int32' : 'integer' }, isLoose: false };
  if (type !== undefined && type !== 'string') return { form, isLoose: true };
  if (Array.isArray(values) && values.length > 0) form.enum = values.map(String);
  if (typeof pattern === 'string' && isPattern(pattern)) form.pattern = pattern;
  if (format === 'uuid' || format === 'date' || format === 'date-time') form.format = format;
  return { form, isLoose: pattern !== undefined && form.pattern === undefined };
}

/** `68 operations taken, 2 left out (PUT /a: it has no body; …)`, in one line. */
export function summaryOf({ content, leftOut }: Imported): string {
  const taken = Object.keys(content.operations).length;
  const first = leftOut.slice(0, 3).map(({ operation, why }) => `${operation}: ${why}`);
  if (leftOut.length > first.length) first.push('…');
  const out = leftOut.length === 0 ? 'none' : `${leftOut.length} (${first.join('; ')})`;
  return `${taken} operation${taken === 1 ? '' : 's'} taken, ${out} left out`;
}
