import { SETTINGS, type Setting, type ValueKind } from './settings.ts';

/**
 * JSON Schemas (draft-07) of what people write: the config file, faults, rules of one's own. The build compiles them,
 * and schemas/config/ publishes that of the config file. Keywords of our own:
 * `takes` says in a message what is right, `needs` which members a rule of members asks for; `function` and `plain` are for what
 * only a program can give.
 */
interface Schema {
  [keyword: string]: unknown;
  takes?: string;
}

const AMOUNT = '\\d+(?:\\.\\d+)?';
/** A bare number other than 0 has no unit: it could count seconds or milliseconds. */
const DURATION = `(?:${AMOUNT}\\s*(?:[mM]?[sS]|[mMhHdD])|0+(?:\\.0+)?)`;
/** Several stand between commas. */
const POINTER = '(?:/(?:[^~/,]|~[01])*)';
const POINTERS = listOf(`${POINTER}*`);
const SECRETS = listOf(`(?:${POINTER}+|!?[^!/,\\s][^,]*)`);
/** As `isPlain` of the contract has it: servers read it in one way. One slash at its end counts for nothing. */
const PLAIN_PATH = "^(?!.*(?://|/\\.|\\./|\\.$))/[\\w~!$&'()*+,=:@./-]*$";
/** Faults at most: each is held against each request, and counted in each session. */
export const MOST_FAULTS = 100;
/** Without commas, which part them. */
const NAME = '[^=,\\x00-\\x20\\x7f-\\xa0][^=,\\x00-\\x1f\\x7f-\\x9f]*';
const TOKENS = listOf(`${NAME}=[\\x21-\\x2b\\x2d-\\x7e]+`);
const FAULTS = `a list of at most ${MOST_FAULTS} faults: ["PATCH status=503 count=2"]`;

const text = { type: 'string' };
const filled = { type: 'string', minLength: 1 };
const ref = (name: string, more: Schema = {}): Schema => ({ $ref: `#/definitions/${name}`, ...more });
const whole = (minimum: number, maximum: number | undefined, takes: string): Schema => ({
  type: 'integer',
  minimum,
  ...(maximum !== undefined && { maximum }),
  takes,
});
const oneOrMore = (item: Schema): Schema => ({ anyOf: [{ type: 'array', items: item }, item] });
const matching = (pattern: string, takes: string): Schema => ({ type: 'string', pattern, takes });
/** Says which members there are, too, as Ajv's strict mode wants it. */
const has = (member: string): Schema => ({ required: [member], properties: { [member]: true } });

/** A text, or 0, which needs no unit. */
function orZero(pattern: string, takes: string, examples: readonly string[]): Schema {
  return { anyOf: [{ type: 'string', pattern }, { const: 0 }], examples, takes };
}

function listOf(pattern: string): string {
  return `^\\s*${pattern}\\s*(?:,\\s*${pattern}\\s*)*$`;
}

/** What a setting of each kind takes. */
export const KINDS: Record<ValueKind, Schema> = {
  text: filled,
  file: filled,
  fileOrOff: { anyOf: [text, { const: false }], takes: 'a text' },
  url: matching(
    '^[hH][tT][tT][pP][sS]?:.',
    'an http or https URL, whole: https://staging.example.com/api/v2',
  ),
  path: matching(
    PLAIN_PATH,
    'a path in plain form, without dot segments, doubled slashes or coded characters: /api/v2',
  ),
  duration: orZero(`^${DURATION}$`, 'a duration of at most 596h: 500ms, 30s, 2m', ['500ms', '30s', '2m']),
  texts: { ...oneOrMore(text), takes: 'texts' },
  names: {
    ...oneOrMore({ type: 'string', pattern: '[^\\s,]' }),
    takes: 'names, with * and ?: Production, live-*',
  },
  pointers: {
    ...oneOrMore({ type: 'string', pattern: POINTERS }),
    takes: 'JSON Pointers, with * for any one: /environments/*/id',
  },
  patterns: { ...oneOrMore(text), takes: 'texts' },
  secrets: {
    ...oneOrMore({ type: 'string', pattern: SECRETS }),
    takes: 'names, !name for one to keep, or JSON Pointers with * for any one: pin,!signature,/users/*/email',
  },
  headers: {
    ...oneOrMore({ type: 'string', pattern: "^[!#$%&'*+.^_`|~\\w-]+=[\\t\\x20-\\x7e]*$" }),
    takes: 'NAME=VALUE, NAME=env:VARIABLE, or NAME= to leave it out: Authorization=env:STAGING_TOKEN',
  },
  tokens: {
    ...oneOrMore({ type: 'string', pattern: TOKENS }),
    takes:
      'NAME=TOKEN or NAME=env:VARIABLE, or NAME=file:PATH, without spaces in the token: alice=env:ALICE_TOKEN',
  },
  faults: {
    if: text,
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: ref('faultText'),
    else: {
      type: 'array',
      maxItems: MOST_FAULTS,
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      items: { if: text, then: ref('faultText'), else: ref('fault') },
      takes: FAULTS,
    },
    takes: FAULTS,
  },
};

/** A fault by its parts. A text says the same in one line: faults.ts reads it. */
export const FAULT_MEMBERS: Record<string, Schema> = {
  method: {
    description: 'Of requests: PATCH',
    ...matching('^[A-Z][A-Z-]{0,30}$', 'a method in capitals: PATCH'),
  },
  path: {
    description: 'Glob of request paths: /accounts/*/projects/{42,43}',
    // Behind a name and a value, `?` is meant for more than one character.
    pattern: '^/(?!.*[(|])(?!.*\\?[\\w.%[\\]-]+=)[\\x21-\\x7e]*$',
    maxLength: 1000,
    type: 'string',
    takes:
      'a glob of paths that begins with a slash, without a query, of *, **, ?, [0-9] and {1,2}: /accounts/*/projects/{42,43}',
  },
  operation: {
    description: 'An operation of the contract',
    ...matching('^[\\w.-]{1,100}$', 'the name of an operation: updateProject'),
    examples: ['updateProject', 'updateFeature', 'updateDraft'],
  },
  status: {
    description: 'Answers with it, and no upstream sees the request',
    ...whole(200, 599, 'a status from 200 to 599: 503'),
  },
  retryAfter: {
    description: 'Seconds, for the header Retry-After',
    ...whole(0, 999_999_999, 'whole seconds: 2'),
  },
  headers: {
    description: 'Headers of that answer',
    type: 'object',
    additionalProperties: { ...oneOrMore(text), takes: 'a text, or a list of texts' },
    takes: 'names and texts: { "X-Reason": "maintenance" }, none that say where a body ends',
  },
  body: ref('json', { description: 'Body of that answer: a text as it is, any other value as JSON' }),
  reset: {
    description: 'Breaks the connection before a byte of the answer',
    const: true,
    takes: 'true',
  },
  latency: ref('latency', { description: 'How long the answer waits' }),
  rate: {
    description: 'How likely it is, each time',
    type: 'number',
    minimum: 0,
    maximum: 1,
    takes: 'a number from 0 to 1: 0.2',
  },
  count: {
    description: 'It happens so often at most, in each session',
    ...whole(1, undefined, 'how often it happens at most: 2'),
  },
};

const EFFECTS = ['status', 'reset', 'latency'];

export const LATENCY = orZero(
  `^${DURATION}(?:\\.\\.${DURATION})?$`,
  'a duration with its unit, or a range of them: 5s, 5ms, 50ms..200ms',
  ['100ms', '50ms..200ms'],
);

const object = (properties: Record<string, unknown>, more: Schema = {}): Schema => ({
  type: 'object',
  additionalProperties: false,
  properties,
  ...more,
});
const listOfEntries = (description: string, entry: Schema): Schema => ({
  description,
  type: 'array',
  items: entry,
  takes: `a list: [${entry.takes}]`,
});

const glob = (pattern: string) => {
  // A longer one takes picomatch too long, and a `!` would take out again what another one means.
  const one = { type: 'string', pattern, maxLength: 1000 };
  return { anyOf: [{ type: 'array', minItems: 1, items: one }, one] };
};
const FILES = (example: string) =>
  ref('globs', { description: `Globs, from this file's folder: ${example}` });
const PATHS = ref('pathGlobs', { description: 'Globs of request paths: /accounts/1/projects/*' });

/** What only a config file, or a program, can say: no flag and no variable could. */
const EXTRAS = {
  overrides: listOfEntries(
    'Severities by rule, for some files or request paths or for all; of several that hold, the later ones count',
    object(
      {
        files: FILES('legacy/**'),
        paths: PATHS,
        rules: {
          description: 'Severities by rule name',
          type: 'object',
          minProperties: 1,
          allOf: [ref('severities')],
          takes: 'an object of rule names and severities, at least one: { "schema.unknown-field": "off" }',
        },
      },
      {
        required: ['rules'],
        takes: '{ "paths": ["/accounts/*/drafts/**"], "rules": { "schema.unknown-field": "off" } }',
      },
    ),
  ),
};

/** What only a config file that is a program can say. */
const OF_PROGRAMS = {
  customRules: {
    type: 'object',
    additionalProperties: {
      type: 'array',
      items: ref('customRule'),
      takes: "a list of rules: [{ name: 'team.rule-name', … }]",
    },
    takes: "an object of operations and rules: { updateProject: [{ name: 'team.rule-name', … }] }",
  },
};

const EXAMPLE = {
  body: ref('json', { takes: 'the body, a JSON value' }),
  recordId: matching('\\S', "the id in the path, a text: '42'"),
  known: { type: 'object', allOf: [ref('json')], takes: 'the record before the request, an object' },
  effects: { type: 'array', takes: 'a list of effects' },
};
const PASSING = object(EXAMPLE, { required: ['body'] });
const FAILING = object(
  {
    ...EXAMPLE,
    pointers: {
      type: 'array',
      minItems: 1,
      items: matching('^(?:/(?:[^~/]|~[01])*)*$', 'a JSON Pointer: /environments/0/name'),
      takes: "the JSON Pointers of the places, at least one: ['/environments/0/name']",
    },
  },
  { required: ['body', 'pointers'] },
);
const examples = (more: Schema) =>
  object({
    passes: { type: 'array', items: ref('passing'), ...more },
    fails: { type: 'array', items: ref('failing'), ...more },
  });

/** The form of a rule of one's own. Whether it works is for its canary to tell. */
const CUSTOM_RULE = object(
  {
    // Two parts, so that no file can have such a name by chance; the scopes are those of reading a request and of the schemas.
    name: matching(
      '^(?!(?:request|schema)\\.)[a-z][a-z0-9]*(?:-[a-z0-9]+)*\\.[a-z][a-z0-9]*(?:-[a-z0-9]+)*$',
      'a name in two parts, like "team.rule-name", the first of which is not request or schema',
    ),
    severity: ref('severity'),
    basis: { enum: ['stated', 'inferred', 'observed', 'protocol'] },
    says: matching('\\S', 'one sentence: what is wrong where it finds something'),
    source: matching('\\S', 'a text: what the rule rests on'),
    readsEffects: { const: true, takes: 'true, or is left out' },
    guards: { const: true, takes: 'true, or is left out' },
    check: { function: true, takes: 'a generator: *check({ body }) { … yield { pointer, message }; … }' },
    examples: {
      ...examples({ minItems: 1, takes: 'a list of at least one example' }),
      required: ['passes', 'fails'],
      takes: '{ passes: [{ body }], fails: [{ body, pointers }] }, at least one of each',
    },
  },
  { required: ['name', 'severity', 'basis', 'says', 'source', 'check', 'examples'] },
);

const DEFINITIONS: Record<string, Schema> = {
  ...KINDS,
  latency: LATENCY,
  fault: object(FAULT_MEMBERS, {
    anyOf: EFFECTS.map(has),
    needs: `something that happens: ${EFFECTS.join(', ')}`,
    dependencies: { retryAfter: ['status'], headers: ['status'], body: ['status'] },
    takes: 'a text, or an object: PATCH /accounts/*/projects/42 status=503 count=2',
  }),
  faultText: text,
  globs: { ...glob('^(?!!)[^]*\\S'), takes: 'a glob or a list of globs: ["legacy/**"]' },
  pathGlobs: {
    // Groups take picomatch long for some paths, and clients choose these; a bar parts the whole glob.
    ...glob('^(?![^]*[(|]|!)[^]*\\S'),
    takes: 'a glob or a list of globs, of *, **, ?, [0-9] and {1,2}: ["/accounts/*/projects/{42,43}"]',
  },
  json: {
    type: ['null', 'boolean', 'number', 'string', 'array', 'object'],
    items: ref('json'),
    additionalProperties: ref('json'),
    plain: true,
    takes: 'a text or another value of JSON',
  },
  // Which rules there are, only the gate knows.
  rule: matching('\\S', "a rule's name: schema.unknown-field"),
  severity: { enum: ['error', 'warn', 'off'] },
  severities: {
    type: 'object',
    additionalProperties: ref('severity'),
    takes: 'an object of rule names and severities: { "schema.unknown-field": "error" }',
  },
};

/** Of a config file. @param definitions of what the catalogue of rules and editors know better */
export function configSchema(definitions: Record<string, Schema> = {}): Schema {
  const published = Object.entries<Setting>(SETTINGS).map(
    ([name, { group: _, alias: __, bare: ___, secret: ____, ...schema }]) => [name, schema],
  );
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Config file of Patchgate: patchgate.config.json',
    ...object({
      $schema: { ...text, description: 'This schema, for editors' },
      ...Object.fromEntries(published),
      ...EXTRAS,
    }),
    definitions: { ...DEFINITIONS, ...definitions },
  };
}

/** What the build compiles: each of these with its definition's name. */
export function compiledSchemas(): Record<string, Schema> {
  const settings = Object.entries<Setting>(SETTINGS).map(
    ([name, { $ref, type, enum: words, minimum, maximum }]) => [
      name,
      $ref ? { $ref } : { type, enum: words, minimum, maximum },
    ],
  );
  const config = object({ $schema: text, ...Object.fromEntries(settings), ...EXTRAS, ...OF_PROGRAMS });
  const faultsGiven = object(
    {
      faults: ref('faults'),
    },
    { takes: '{ "faults": ["PATCH status=503 count=2"] }' },
  );
  const fixtures = examples({ takes: 'a list of examples' });
  const own = { customRule: CUSTOM_RULE, passing: PASSING, failing: FAILING, fixtures, faultsGiven, config };
  // Keywords without a value go.
  return JSON.parse(JSON.stringify({ ...DEFINITIONS, ...own }));
}
