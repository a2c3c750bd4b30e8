import {
  _,
  type Ajv2020,
  type AnySchemaObject,
  type CodeKeywordDefinition,
  type ErrorObject,
  type KeywordCxt,
} from 'ajv/dist/2020.js';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import { isObject, namesOf } from '../model/json.ts';
import { hasHttpScheme, isUrl } from '../model/url.ts';
import type { ErrorSites } from './error-sites.ts';
import type { UrlBudget } from './url-budget.ts';

/**
 * What the contract's schemas say beyond JSON Schema 2020-12.
 *
 * - `observed`: a subschema for values that the description only shows; failing it is a warning.
 * - `furtherFields`: of an object with `properties`, what other fields it takes: `none`, or `objects` (any that hold one).
 * - `basis`, `severity`, `source`, `hint`: annotations that a finding of that subschema carries. A source holds for
 *   everything below it as well.
 *
 * @param isTrusted skips the check of what the schemas say with these words
 * @param sites bounds the errors of `furtherFields`, as it does those of Ajv's own keywords
 * @param urls says which URLs are read; of others nothing is said
 */
export function addKeywords(ajv: Ajv2020, isTrusted: boolean, sites: ErrorSites, urls: UrlBudget): void {
  // Compiling the checks of these few words takes as long as compiling a schema.
  const taking = (metaSchema: AnySchemaObject) => (isTrusted ? {} : { metaSchema });
  ajv.addKeyword(observed);
  ajv.addKeyword({
    keyword: 'furtherFields',
    type: 'object',
    schemaType: 'string',
    ...taking({ enum: ['none', 'objects'] }),
    errors: true,
    compile: (takes: string, parent: AnySchemaObject) => checkFields(takes === 'objects', parent, sites),
  });
  ajv.addKeyword({ keyword: 'basis', ...taking({ enum: ['stated', 'inferred', 'observed', 'protocol'] }) });
  ajv.addKeyword({ keyword: 'severity', ...taking({ enum: ['error', 'warn'] }) });
  ajv.addKeyword({ keyword: 'source', ...taking({ type: 'string' }) });
  ajv.addKeyword({ keyword: 'hint', ...taking({ type: 'string' }) });
  dropSideErrors(ajv);
  // The empty text is left to `http-url`, so that it only warns.
  ajv.addFormat('url', {
    type: 'string',
    validate: (text: string) => text === '' || !urls.takes(text) || isUrl(text),
  });
  ajv.addFormat('http-url', {
    type: 'string',
    // What is no URL at all has its own error already.
    validate: (text: string) => text !== '' && (hasHttpScheme(text) || !urls.takes(text) || !isUrl(text)),
  });
}

/** Standard formats of which nothing is checked: there is no well-kept check of them. */
const UNCHECKED = ['idn-email', 'idn-hostname', 'iri', 'iri-reference'];

/** What schemas of other services have beside the keywords: the standard formats, `example`, and names that begin with `x-`. */
export function addOrdinary(ajv: Ajv2020): void {
  for (const [name, format] of Object.entries(fullFormats)) ajv.addFormat(name, format);
  // The pattern of ajv-formats takes any text with an empty line, and overflows the stack on a megabyte.
  ajv.addFormat('byte', (text: string) => text.length % 4 === 0 && /^[a-z0-9+/]*={0,2}$/i.test(text));
  for (const name of UNCHECKED) ajv.addFormat(name, true);
  ajv.addVocabulary(['example', '$anchor']);
  ajv.RULES.keywords = new Proxy(ajv.RULES.keywords, {
    get: (known, name) => known[String(name)] ?? String(name).startsWith('x-'),
  });
}

/**
 * Drops the errors within `contains` and `oneOf` that are not why these fail: only some items need be as `contains` says, and where
 * two branches of `oneOf` hold, the others may fail.
 */
function dropSideErrors(ajv: Ajv2020): void {
  for (const keyword of ['contains', 'oneOf']) {
    const definition = ajv.getKeyword(keyword) as CodeKeywordDefinition;
    const { code } = definition;
    definition.code = (context) => {
      const { result } = context;
      context.result = (isValid, onValid) =>
        result.call(context, isValid, onValid, () => {
          const { passing } = context.params;
          if (passing) context.gen.if(_`${passing} !== null`, () => context.reset());
          else context.reset();
          context.error();
        });
      code(context);
    };
  }
}

/** Like `not`, the other way round: applies the subschema without its own errors, and gives one in its place. */
const observed: CodeKeywordDefinition = {
  keyword: 'observed',
  schemaType: ['object', 'boolean'],
  trackErrors: true,
  code(context: KeywordCxt) {
    const valid = context.gen.name('valid');
    const quiet = { compositeRule: true, createErrors: false, allErrors: false } as const;
    context.subschema({ keyword: 'observed', ...quiet }, valid);
    context.pass(valid, () => {
      context.reset();
      context.error();
    });
  },
};

/** The error of a field that no schema lists. */
export interface FieldParams {
  field: string;
  /** The listed field that it is but for letter case, `_` or `-`. */
  meant: string | undefined;
  listed: readonly string[];
  parent: AnySchemaObject;
}

/** The shape that Ajv gives a keyword of its users: a test that leaves its errors on itself. */
interface FieldCheck {
  (data: unknown): boolean;
  errors?: Partial<ErrorObject>[];
}

function checkFields(takesObjects: boolean, parent: AnySchemaObject, sites: ErrorSites): FieldCheck {
  const unknown = sites.add();
  const misspelt = sites.add();
  const listed = Object.keys((parent.properties as object | undefined) ?? {});
  const known = new Set(listed);
  const byFold = new Map(listed.map((name) => [fold(name), name]));
  const longest = Math.max(0, ...[...byFold.keys()].map((folded) => folded.length));
  const check: FieldCheck = (data: unknown) => {
    if (!isObject(data)) return true;
    let errors: Partial<ErrorObject>[] | undefined;
    for (const field of namesOf(data)) {
      if (known.has(field)) continue;
      const meant = byFold.get(fold(field, longest));
      if (meant === undefined && takesObjects && isObject(data[field])) continue;
      const site = meant === undefined ? unknown : misspelt;
      errors ??= [];
      errors.push(sites.full[site] ?? sites.keep(site, errorOf({ field, meant, listed, parent })));
    }
    if (!errors) return true;
    check.errors = errors;
    return false;
  };
  return check;
}

function errorOf(params: FieldParams): Partial<ErrorObject> {
  return { keyword: 'furtherFields', params };
}

/**
 * Names that differ only in letter case, `_` or `-` are the same word, spelt wrong. So are those that loose readers take
 * for the same: case is folded as Unicode does (Go), a dotless i is an i (Java), and control characters and blanks go (C).
 *
 * @param longest characters that are of interest; of a name with more, only some are given
 */
function fold(name: string, longest = Number.POSITIVE_INFINITY): string {
  let folded = '';
  for (let i = 0; i < name.length && folded.length <= longest; i++) {
    const char = name[i] as string;
    if (char > ' ' && char !== '_' && char !== '-' && char !== '\u0307') folded += char;
  }
  // To capitals first: the long s and the dotless i have no other way to be s and i.
  return folded.toUpperCase().toLowerCase().replaceAll('\u0307', '');
}
