/**
 * JSON Schemas (draft-07) of the config file and of rules of one's own. The build compiles them, and schemas/config/ publishes the
 * first. Keywords of our own: `takes` says in a message what is right; `function` is for what only a program can give.
 */
import { SETTINGS, type Setting, type ValueKind } from './settings.ts';

interface Schema {
  [keyword: string]: unknown;
  takes?: string;
}

/** A bare number other than 0 has no unit: it could count seconds or milliseconds. */
const DURATION = '^(?:\\d+(?:\\.\\d+)?\\s*(?:[mM]?[sS]|[mMhHdD])|0+(?:\\.0+)?)$';
const POINTER = '(?:/(?:[^~/,]|~[01])*)';

const filled = { type: 'string', minLength: 1 };
const ref = (name: string, more: Schema = {}): Schema => ({ $ref: `#/definitions/${name}`, ...more });
const matching = (pattern: string, takes: string): Schema => ({ type: 'string', pattern, takes });
const list = (pattern: string, takes: string): Schema => {
  const one = { type: 'string', pattern };
  return { anyOf: [{ type: 'array', items: one }, one], takes };
};
/** Several stand between commas. */
const commas = (one: string) => `^\\s*${one}\\s*(?:,\\s*${one}\\s*)*$`;
const object = (properties: Record<string, unknown>, more: Schema = {}): Schema => ({
  ...{ type: 'object', additionalProperties: false, properties },
  ...more,
});

const KINDS: Record<ValueKind, Schema> = {
  text: filled,
  file: filled,
  fileOrOff: { anyOf: [filled, { const: false }], takes: 'a text, or false' },
  url: matching('^[hH][tT][tT][pP][sS]?://[^/?#]', 'an http or https URL: https://staging.example.com'),
  duration: {
    anyOf: [{ type: 'string', pattern: DURATION }, { const: 0 }],
    takes: 'a duration with its unit: 500ms, 30s, 2m',
  },
  list: list('[^\\s,]', 'texts: Production, e2e-*'),
  pointers: list(commas(`${POINTER}*`), 'JSON Pointers, with * for any one: /environments/*/id'),
  secrets: list(
    commas(`(?:${POINTER}+|!?[^!/,\\s][^,]*)`),
    'names, !name for one to keep, or JSON Pointers with * for any one: pin,!signature,/users/*/email',
  ),
  headers: list("^[!#$%&'*+.^_`|~\\w-]+=[\\t\\x20-\\x7e]*$", 'NAME=VALUE, NAME=env:VARIABLE, or NAME='),
  tokens: list(commas('[^=,\\s][^=,]*=[!-+\\--~]+'), 'NAME=TOKEN or NAME=env:VARIABLE'),
  faults: list('\\S', 'faults: ["PATCH /accounts/** status=503 count=2"]'),
};

/** A longer one takes picomatch too long, groups take it long for some paths, and a `!` would take out what another one means. */
const GLOB = { type: 'string', pattern: '^(?![^]*[(|]|!)[^]*\\S', maxLength: 1000 };
const RULES = 'severities by rule, at least one: { "schema.unknown-field": "off" }';
const OVERRIDE = object(
  {
    paths: {
      anyOf: [{ type: 'array', minItems: 1, items: GLOB }, GLOB],
      takes: 'a glob or a list of globs without groups: ["/accounts/*/drafts/**"]',
    },
    rules: { type: 'object', minProperties: 1, allOf: [ref('severities')], takes: RULES },
  },
  {
    required: ['rules'],
    takes: '{ "paths": ["/accounts/*/drafts/**"], "rules": { "schema.unknown-field": "off" } }',
  },
);

const examples = (...required: string[]) => ({
  ...{ type: 'array', minItems: 1, items: { type: 'object', required }, takes: 'a list of examples' },
});
const SCOPE = '[a-z][a-z0-9]*(?:-[a-z0-9]+)*';
/** The form of a rule of one's own. Whether it works is for its examples to tell. */
const CUSTOM_RULE = object(
  {
    // No file can have such a name by chance; the scopes are those of reading a request and of the schemas.
    name: matching(
      `^(?!(?:request|schema)\\.)${SCOPE}\\.${SCOPE}$`,
      'a name in two parts, like "team.rule-name", the first of which is not request or schema',
    ),
    severity: ref('severity'),
    basis: { enum: ['stated', 'inferred', 'observed', 'protocol'] },
    says: matching('\\S', 'one sentence: the fault that it finds'),
    source: matching('\\S', 'a text: what the rule rests on'),
    readsEffects: { const: true, takes: 'true, or is left out' },
    guards: { const: true, takes: 'true, or is left out' },
    check: { function: true, takes: 'a generator: *check({ body }) { … yield { pointer, message }; … }' },
    examples: object(
      { passes: examples('body'), fails: examples('body', 'pointers') },
      { required: ['passes', 'fails'], takes: '{ passes: [{ body }], fails: [{ body, pointers }] }' },
    ),
  },
  { required: ['name', 'severity', 'basis', 'says', 'source', 'check', 'examples'] },
);
/** Only a config file that is a program can say it. */
const CUSTOM_RULES = {
  type: 'object',
  additionalProperties: { type: 'array', items: ref('customRule'), takes: 'a list of rules' },
  takes: "operations and rules: { updateProject: [{ name: 'team.rule-name', … }] }",
};

const DEFINITIONS: Record<string, Schema> = {
  ...KINDS,
  severity: { enum: ['error', 'warn', 'off'] },
  // Which rules there are, only the gate knows.
  severities: { type: 'object', additionalProperties: ref('severity'), takes: RULES },
};
const CONFIG = {
  $schema: { type: 'string', description: 'This schema, for editors' },
  ...Object.fromEntries(
    Object.entries<Setting>(SETTINGS).map(
      ([name, { group: _, alias: _a, bare: _b, secret: _s, rare: _r, ...schema }]) => [name, schema],
    ),
  ),
  overrides: {
    description: 'Severities by rule, for some request paths or for all; the later ones count',
    ...{ type: 'array', items: OVERRIDE, takes: `a list: [${OVERRIDE.takes}]` },
  },
};

/** Of a config file in JSON. @param definitions of what the catalogue of rules and editors know better */
export function configSchema(definitions: Record<string, Schema> = {}): Schema {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Config file of Patchgate: patchgate.config.json',
    ...object(CONFIG),
    definitions: { ...DEFINITIONS, ...definitions },
  };
}

/** What the build compiles: each of these with its definition's name. */
export const COMPILED = {
  ...DEFINITIONS,
  customRule: CUSTOM_RULE,
  config: object({ ...CONFIG, customRules: CUSTOM_RULES }),
};
