import { PatchgateError } from '../errors.ts';
import { isObject, member } from '../json/json.ts';
import type { ContractFile } from '../model/contract.ts';

/**
 * Checks the form of `contract.json`: what is missing or misspelt there would leave something unjudged.
 *
 * @throws PatchgateError `bad-contract`, naming the place by JSON Pointer
 */
export function checkContractFile(content: unknown, file: string): ContractFile {
  const wrong = (pointer: string, needs: string) =>
    new PatchgateError('bad-contract', `${file}: ${pointer || 'the file'} must be ${needs}`, {
      hint: 'see schemas/contract.json of the package for an example',
    });
  const keys = (pointer: string, value: unknown, required: string[], optional: string[] = []) => {
    if (!isObject(value)) throw wrong(pointer, 'an object');
    for (const key of required) if (!Object.hasOwn(value, key)) throw wrong(`${pointer}/${key}`, 'given');
    for (const key of Object.keys(value)) {
      if (!required.includes(key) && !optional.includes(key) && key !== '$comment')
        throw wrong(`${pointer}/${key}`, `left out: known are ${[...required, ...optional].join(', ')}`);
    }
    return value;
  };

  keys('', content, ['contractVersion', 'source', 'operations']);
  if (member(content, 'contractVersion') !== 1) throw wrong('/contractVersion', '1');
  const operations = member(content, 'operations');
  if (!isObject(operations) || Object.keys(operations).length === 0)
    throw wrong('/operations', 'an object with operations');
  const twins = new Map<string, string>();
  for (const [name, entry] of Object.entries(operations)) {
    const at = `/operations/${name}`;
    keys(at, entry, ['method', 'path', 'parameters', 'record', 'schema', 'rules', 'canary']);
    const { method, path, parameters, record, schema, rules, canary } = entry as Record<string, unknown>;
    if (typeof method !== 'string' || !/^[A-Z]+$/.test(method))
      throw wrong(`${at}/method`, 'a method in capitals');
    if (typeof path !== 'string' || !/^(\/([\w.~-]+|\{[A-Za-z_]\w*\}))+$/.test(path))
      throw wrong(`${at}/path`, 'a path template: /accounts/{account_id}/projects/{project_id}');
    if (typeof schema !== 'string') throw wrong(`${at}/schema`, 'the name of a schema file');

    const named = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string);
    if (new Set(named).size < named.length)
      throw wrong(`${at}/path`, 'a template that names each parameter once');
    const twin = twins.get(`${method} ${path.replace(/\{\w+\}/g, '{}')}`);
    if (twin)
      throw wrong(`${at}/path`, `another one than that of ${twin}, which would never be told from it`);
    twins.set(`${method} ${path.replace(/\{\w+\}/g, '{}')}`, name);
    keys(`${at}/parameters`, parameters, named);
    for (const parameter of named)
      checkParameter(`${at}/parameters/${parameter}`, member(parameters, parameter));

    const { kind } = keys(`${at}/record`, record, ['kind', 'id'], ['account']);
    if (typeof kind !== 'string') throw wrong(`${at}/record/kind`, 'a text: project');
    for (const role of ['id', 'account']) {
      const parameter = member(record, role);
      if (parameter !== undefined && !named.includes(String(parameter)))
        throw wrong(`${at}/record/${role}`, 'a parameter of the path');
    }
    if (!Array.isArray(rules)) throw wrong(`${at}/rules`, 'a list of rule names');
    rules.forEach((rule, index) => {
      if (typeof rule === 'string') return;
      const { name: named, severity } = keys(`${at}/rules/${index}`, rule, ['name', 'severity']);
      if (typeof named !== 'string') throw wrong(`${at}/rules/${index}/name`, 'the name of a rule');
      if (!['error', 'warn', 'off'].includes(String(severity)))
        throw wrong(`${at}/rules/${index}/severity`, 'error, warn or off');
    });
    const { rule, pointer } = keys(`${at}/canary`, canary, ['body', 'rule', 'pointer']);
    if (typeof rule !== 'string' || typeof pointer !== 'string')
      throw wrong(`${at}/canary`, 'a body with the rule and the pointer of its finding');
  }
  return content as unknown as ContractFile;

  function checkParameter(pointer: string, form: unknown): void {
    const { type, keywords } = keys(pointer, form, ['type'], ['keywords', 'source']);
    if (!['integer', 'int32', 'string'].includes(String(type)))
      throw wrong(`${pointer}/type`, 'integer, int32 or string');
    if (
      keywords !== undefined &&
      !(Array.isArray(keywords) && keywords.every((word) => typeof word === 'string'))
    )
      throw wrong(`${pointer}/keywords`, 'a list of words');
  }
}
