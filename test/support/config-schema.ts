/** The JSON Schema of a config file, as editors read it: made from the table of settings and the catalogue of rules. */

import { furtherSchemaRules } from '../../src/contract/schema-rules.ts';
import { CATALOGUE } from '../../src/gate/catalogue.ts';
import { SETTINGS, type Setting, type SettingName } from '../../src/settings/settings.ts';
import { DURATION, FAULT, FAULT_TEXT } from './fault-schema.ts';

type Schema = Record<string, unknown>;

/** Draft-07: the one that every editor reads in full. */
export function configSchema(): Schema {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Config file of Patchgate: patchgate.config.json',
    type: 'object',
    additionalProperties: false,
    properties: {
      $schema: { type: 'string', description: 'This schema, for editors' },
      ...Object.fromEntries(
        (Object.keys(SETTINGS) as SettingName[]).map((name) => [name, settingSchema(name, SETTINGS[name])]),
      ),
      ...EXTRAS,
    },
    definitions: DEFINITIONS,
  };
}

function settingSchema(name: SettingName, setting: Setting): Schema {
  const { describe, default: fallback, isPath } = setting;
  const isList = ['list', 'pointers', 'patterns', 'faults'].includes(setting.kind);
  return {
    description: isPath ? `${describe}; relative to this file's folder` : describe,
    ...(fallback !== undefined && {
      default: isList ? String(fallback).split(',').filter(Boolean) : fallback,
    }),
    ...valueSchema(name, setting),
  };
}

function valueSchema(name: SettingName, setting: Setting): Schema {
  const { kind, choices = [], bare, min = 0, max, mayBeOff } = setting;
  const limit = max === undefined ? {} : { maximum: max };
  switch (kind) {
    case 'string':
      return mayBeOff ? { anyOf: [{ type: 'string' }, { const: false }] } : { type: 'string', minLength: 1 };
    case 'url':
      return { type: 'string', pattern: '^[hH][tT][tT][pP][sS]?:.' };
    case 'path':
      return { type: 'string', pattern: "^(?!.*(?://|/\\.|\\./|\\.$))/[\\w~!$&'()*+,=:@./-]*$" };
    case 'boolean':
      return { type: 'boolean' };
    case 'integer': {
      const integer = { type: 'integer', minimum: min, ...limit };
      return name === 'account' ? { anyOf: [integer, { const: 'current' }] } : integer;
    }
    case 'choice':
      return {
        enum: [...choices, ...(bare === undefined ? [] : [true]), ...(name === 'guard' ? [false] : [])],
      };
    case 'list':
      return choices.length === 0 ? textOrTexts({}) : choicesOf(choices);
    case 'pointers':
      return textOrTexts({ pattern: `^${POINTER}(?:,${POINTER})*$` });
    case 'patterns':
      return textOrTexts({});
    case 'latency':
      return {
        anyOf: [
          { type: 'string', pattern: `^(?:recorded|${DURATION}(?:\\.\\.${DURATION})?)$` },
          { const: 0 },
        ],
        examples: ['100ms', '50ms..200ms', 'recorded'],
      };
    case 'faults':
      return {
        anyOf: [
          { type: 'array', maxItems: 100, items: { anyOf: [FAULT_TEXT, { $ref: '#/definitions/fault' }] } },
          FAULT_TEXT,
        ],
      };
    case 'duration':
      return duration(min, max);
    case 'size':
      return {
        anyOf: [
          { type: 'string', pattern: '^\\d+(?:\\.\\d+)?\\s*(?:(?:[kKmM][iI]?)?[bB])?$' },
          { type: 'number', minimum: min, ...limit },
        ],
        examples: ['512KiB', '5MiB'],
      };
  }
}

/** One of several that stand between commas. */
const POINTER = '\\s*(?:/(?:[^~/,]|~[01])*)*';

function textOrTexts(text: Schema): Schema {
  return {
    anyOf: [
      { type: 'array', items: { type: 'string', ...text } },
      { type: 'string', ...text },
    ],
  };
}

function choicesOf(choices: readonly string[]): Schema {
  const word = `\\s*(?:${choices.join('|')})?\\s*`;
  return {
    anyOf: [
      { type: 'array', items: { enum: choices } },
      { type: 'string', pattern: `^${word}(?:,${word})*$` },
    ],
  };
}

/** A bare 0 alone has no unit. */
function duration(min: number, max: number | undefined): Schema {
  const notZero = min > 0 ? '(?=.*[1-9])' : '';
  const text = { type: 'string', pattern: `^${notZero}${DURATION}$` };
  const examples = max === undefined ? ['12h', '30d'] : ['500ms', '30s', '2m'];
  return min > 0 ? { ...text, examples } : { anyOf: [text, { const: 0 }], examples };
}

/** Of a body that breaks one of these there is nothing to judge. */
const ALWAYS_ERRORS = ['request.json', 'request.too-large', 'request.content-encoding'];

const RULE_NAMES = [...CATALOGUE.map(({ name }) => name), ...furtherSchemaRules()];

const GLOBS = '#/definitions/globs';
const PATH_GLOBS = '#/definitions/pathGlobs';

function globs(pattern: string): Schema {
  const glob = { type: 'string', pattern, maxLength: 1000 };
  return { anyOf: [{ type: 'array', minItems: 1, items: glob }, glob] };
}

const DEFINITIONS: Schema = {
  fault: FAULT,
  globs: globs('^(?!!)[^]*\\S'),
  pathGlobs: globs('^(?![^]*[(|]|!)[^]*\\S'),
  rule: { enum: RULE_NAMES },
  severity: { enum: ['error', 'warn', 'off'] },
  severities: {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries([
      ...CATALOGUE.map(({ name, severity, says }) => [
        name,
        {
          description: says,
          default: severity,
          ...(ALWAYS_ERRORS.includes(name) ? { const: 'error' } : { enum: ['error', 'warn', 'off'] }),
        },
      ]),
      ...furtherSchemaRules().map((name) => [name, { $ref: '#/definitions/severity' }]),
    ]),
  },
};

/** Said again, as Ajv's strict mode wants it. */
const has = (member: string): Schema => ({ required: [member], properties: { [member]: true } });

/** What can only be said in a config file; `customRules` and `normalizeRequest` only in one that is a program. */
const EXTRAS: Schema = {
  rules: { description: 'Severities by rule name', $ref: '#/definitions/severities' },
  overrides: {
    description:
      'Severities for some files or request paths alone; of several that hold, the later ones count',
    type: 'array',
    items: {
      type: 'object',
      required: ['rules'],
      anyOf: [has('files'), has('paths')],
      additionalProperties: false,
      properties: {
        files: { description: "Globs, from this file's folder: legacy/**", $ref: GLOBS },
        paths: {
          description: 'Globs of request paths: /accounts/1/projects/*',
          $ref: PATH_GLOBS,
        },
        rules: {
          description: 'Severities by rule name',
          type: 'object',
          minProperties: 1,
          allOf: [{ $ref: '#/definitions/severities' }],
        },
      },
    },
  },
  bodies: {
    description: 'What the bodies of some files are judged as',
    type: 'array',
    items: {
      type: 'object',
      required: ['files'],
      oneOf: [has('operation'), has('path')],
      additionalProperties: false,
      properties: {
        files: { description: "Globs, from this file's folder: bodies/projects/**", $ref: GLOBS },
        operation: {
          description: 'An operation of the contract',
          type: 'string',
          minLength: 1,
          examples: ['updateProject', 'updateFeature', 'updateDraft'],
        },
        path: {
          description: 'The path that they are sent to: /accounts/current/drafts/1001',
          type: 'string',
          minLength: 1,
        },
      },
    },
  },
  suppressions: {
    description: 'Findings that do not count; at least one of files, paths and pointer says which',
    type: 'array',
    items: {
      type: 'object',
      required: ['rule', 'reason'],
      anyOf: [has('files'), has('paths'), has('pointer')],
      additionalProperties: false,
      properties: {
        rule: { description: 'Whose findings', $ref: '#/definitions/rule' },
        files: { description: "Globs, from this file's folder: legacy/**", $ref: GLOBS },
        paths: {
          description: 'Globs of request paths: /accounts/1/projects/*',
          $ref: PATH_GLOBS,
        },
        pointer: {
          description: 'JSON Pointer of the finding, with * for any one member or item: /environments/*/name',
          type: 'string',
          pattern: '^(?:/(?:[^~/]|~[01])*)*$',
        },
        reason: { description: 'Why its findings need not be mended', type: 'string', pattern: '\\S' },
        expires: {
          description: 'The last day on which it holds; after it, the findings count again',
          type: 'string',
          pattern: '^\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])$',
          examples: ['2026-12-31'],
        },
      },
    },
  },
};
