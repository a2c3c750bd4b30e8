import { messageOf, PatchgateError } from '../../errors.ts';
import { childOf, isObject, type JsonObject, type JsonValue } from '../../json/json.ts';
import type { ContractFile, OperationEntry, ParameterForm } from '../../model/contract.ts';
import { checkFile } from '../../schemas/check.ts';
import { type Contract, refusesSomething } from '../contract.ts';
import { contractFrom, formOf, isPattern } from '../load-contract.ts';
import { parametersIn } from '../path.ts';
import { createConverter } from './convert-schema.ts';
import { LeftOut, type Node, readDocument } from './document.ts';

export interface ImportOptions {
  /** In capitals; PATCH, POST and PUT without them. */
  methods?: readonly string[] | undefined;
  /** Only operations whose `METHOD /path` or id it accepts. */
  only?: (operation: string) => boolean;
  looseParameters?: boolean;
}

export interface Imported {
  content: ContractFile;
  schemas: JsonObject;
  contract: Contract;
  /** Operations with a body that were asked for, and why they are not in the contract. */
  leftOut: { operation: string; why: string }[];
  /** Keywords and formats that nothing is checked of, with their number. */
  dropped: ReadonlyMap<string, number>;
  /** Parameters of which less is checked than the document says: `getUser id`. */
  loosened: string[];
}

export const SCHEMAS_FILE = 'schemas.json';
const JSON_TYPE = /^(?:application|text)\/(?:[\w.!#$&^-]+\+)?json$/i;
const TEMPLATE = /^(?:\/(?:[\w~!$&'()*+,;=:@.-]|\{[A-Za-z_]\w*\}(?!\{))+)+$/;

/** Makes a contract of an OpenAPI document. @throws PatchgateError `bad-contract` if it is broken, or no operation could be taken */
export async function fromOpenApi(
  file: string,
  text: string,
  { methods = ['PATCH', 'POST', 'PUT'], only = () => true, looseParameters = false }: ImportOptions = {},
): Promise<Imported> {
  const document = await readDocument(file, text);
  const { info, paths, servers } = document.root;
  const base = basePathOf(servers) ?? '';
  const converter = createConverter(document);
  const [leftOut, loosened]: [Imported['leftOut'], string[]] = [[], []];
  const taken: Record<string, OperationEntry> = {};
  const operations: Record<string, OperationEntry> = {};
  const forms = new Set<string>();

  for (const path of Object.keys(isObject(paths) ? paths : {}))
    attempt(path, () => {
      const item = document.child({ value: paths, file: document.file }, path);
      for (const method of methods)
        if (childOf(item.value, method.toLowerCase()))
          attempt(`${method} ${path}`, () => take(method, path, item));
    });
  const source = String(childOf(info, 'title'));
  const content: ContractFile = { contractVersion: 1, source, base: base || '/', operations: taken };
  const schemas = { $schema: 'https://json-schema.org/draft/2020-12/schema', $defs: converter.defs };
  const made = contractFrom(content, new Map([[SCHEMAS_FILE, schemas]]), file);
  for (const [id, { example, ...entry }] of Object.entries(taken))
    attempt(`${entry.method} ${entry.path}`, () => {
      const { bodies } = made.load(id);
      if (!bodies.every(refusesSomething)) throw new LeftOut('its schema takes every body');
      const isEndless = bodies.some(({ check }) => check(null)[0]?.rule === 'request.too-large');
      if (isEndless) throw new LeftOut('its schema refers to itself without end');
      const isGood = example && bodies[0].check(example.body).every(({ severity }) => severity !== 'error');
      operations[id] = { ...entry, ...(isGood && { example }) };
    });
  if (Object.keys(operations).length === 0) {
    const why = leftOut[0] ? `; ${leftOut[0].operation}: ${leftOut[0].why}` : '';
    const hint = `operations are of the methods ${methods.join(', ')}, take a JSON body, and fit --only (** is any path)`;
    throw new PatchgateError('bad-contract', `${file}: no operation could be taken${why}`, { hint });
  }
  content.operations = operations;
  checkFile('contract', content, { where: file }, 'bad-contract');
  const based = Object.entries(operations).map(([id, entry]) => [id, { ...entry, base }]);
  const contract = { ...made, entries: Object.fromEntries(based) };
  return { content, schemas, contract, leftOut, loosened, dropped: converter.dropped };

  /** Leaves an operation out if the work on it fails. */
  function attempt(operation: string, work: () => void): void {
    try {
      work();
    } catch (error) {
      leftOut.push({ operation, why: messageOf(error) });
    }
  }

  function take(method: string, path: string, item: Node): void {
    const operation = document.child(item, method.toLowerCase());
    const id = String(childOf(operation.value, 'operationId') ?? `${method} ${path}`);
    if (!only(`${method} ${path}`) && !only(id)) return;
    const body = document.child(operation, 'requestBody');
    if (body.value === undefined) return;
    const own = basePathOf(childOf(operation.value, 'servers') ?? childOf(item.value, 'servers')) ?? base;
    if (own !== base) throw new LeftOut(`its server has another path: ${own || '/'}`);
    const entry = { method, ...bodyOf(id, body), ...pathOf(path, id, [operation, item]), rules: [] };
    const form = `${method} ${formOf(entry.path)}`;
    if (forms.has(form)) throw new LeftOut('another operation has the same method and path');
    if (Object.hasOwn(taken, id)) throw new LeftOut(`another operation has the id ${id}`);
    forms.add(form);
    taken[id] = entry;
  }

  function bodyOf(id: string, { value, file }: Node): Partial<OperationEntry> {
    const types = Object.entries((childOf(value, 'content') ?? {}) as JsonObject)
      .map(([type, media]) => [(type.split(';')[0] as string).trim().toLowerCase(), media] as const)
      .filter(([type]) => JSON_TYPE.test(type));
    const [first] = types;
    if (!first) throw new LeftOut('its body is not JSON');
    const schemas = types.map(([type, media]) => {
      const schema = childOf(media, 'schema');
      if (schema === undefined) throw new LeftOut('its body has no schema');
      const name = converter.add(`${id}.body`, { value: schema, file });
      return [type, `${SCHEMAS_FILE}#/$defs/${name}`] as const;
    });
    const examples = { value: childOf(first[1], 'examples'), file };
    const [name = ''] = Object.keys(isObject(examples.value) ? examples.value : {});
    const example = childOf(first[1], 'example') ?? childOf(document.child(examples, name).value, 'value');
    const isPlain = schemas.length === 1 && !first[0].startsWith('text/');
    return {
      ...(isPlain ? { schema: schemas[0]?.[1] as string } : { schemas: Object.fromEntries(schemas) }),
      ...(childOf(value, 'required') !== true && { body: 'optional' }),
      ...(example !== undefined && { example: { body: example as JsonValue } }),
    };
  }

  function pathOf(path: string, id: string, holders: readonly Node[]) {
    const names = new Map<string, string>();
    const template = path.replace(/\/$/, '').replace(/\{([^{}]*)\}/g, (_, name: string) => {
      const plain = name.replace(/\W/g, '_').replace(/^(?=\d|$)/, '_');
      names.set(plain, name);
      return `{${plain}}`;
    });
    if (!TEMPLATE.test(template) || parametersIn(template).length !== names.size)
      throw new LeftOut('no path can be told to match its template');
    const described = holders.flatMap(({ value, file }) =>
      [childOf(value, 'parameters') ?? []].flat().map((one) => document.follow({ value: one, file })),
    );
    const parameters: Record<string, ParameterForm> = {};
    for (const [plain, name] of names) {
      const of = described.find(
        ({ value }) => childOf(value, 'name') === name && childOf(value, 'in') === 'path',
      );
      const { form, isLoose } = formOfParameter(of && document.child(of, 'schema').value, looseParameters);
      parameters[plain] = form;
      if (isLoose) loosened.push(`${id} ${name}`);
    }
    return { path: template, parameters };
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
