import type { FaultRule } from '../model/fault.ts';

/** A setting as a JSON Schema, with keywords of our own: `group`, `alias`, `bare` and `secret`. */
export interface Setting {
  description: string;
  /** A kind of value of its own: `#/definitions/duration`. schema.ts says what each takes. */
  $ref?: `#/definitions/${ValueKind}`;
  type?: 'boolean' | 'integer';
  /** `true` is the bare flag, `false` is off. */
  enum?: readonly (string | boolean)[];
  minimum?: number;
  maximum?: number;
  /** The value where none is given; a command may have its own. */
  default?: string | number | boolean | readonly string[];
  /** The heading in a command's help; without one, it stands among the options. */
  group?: string | undefined;
  alias?: string;
  /** What the bare flag means, where its value may be left out. */
  bare?: string;
  /** Messages never show it, and an empty variable is an error: what it was to protect would stay open. */
  secret?: true;
}

/** Values in force, by kind: durations in milliseconds. */
interface Values {
  text: string;
  /** Relative to the config file's folder where a config file gives it, elsewhere to where the command runs. */
  file: string;
  /** `""` is off. */
  fileOrOff: string;
  url: string;
  path: string;
  duration: number;
  texts: string[];
  /** JSON Pointers, with `*` for any one member or item. */
  pointers: string[];
  /** Sources of regular expressions. */
  patterns: string[];
  /** Names; `!name`; JSON Pointers, with `*` for any one member or item. */
  secrets: string[];
  headers: string[];
  /** `NAME=TOKEN`, `NAME=env:VARIABLE`. */
  tokens: string[];
  names: string[];
  faults: FaultRule[];
}
export type ValueKind = keyof Values;

const of = <K extends ValueKind>(kind: K) => ({ $ref: `#/definitions/${kind}` as const });
const flag = { type: 'boolean', default: false } as const;
/** Those under one heading of a command's help. */
const group = <const T extends Readonly<Record<string, Setting>>>(
  group: string | undefined,
  settings: T,
): T =>
  Object.fromEntries(
    Object.entries(settings).map(([name, one]) => [name, { ...one, group }]),
  ) as unknown as T;

/**
 * Every setting of the tool, once: types, flags, environment, the config file's check, its published schema, help and
 * `patchgate config` are made from this table. Names are those of the config file; the flag is the same in kebab case, the
 * variable `PATCHGATE_` in capitals.
 */
export const SETTINGS = {
  ...group('Judging', {
    contract: {
      ...of('file'),
      description: 'Folder or contract.json with operations, schemas and rules, or an OpenAPI document',
    },
    validation: {
      enum: ['enforce', 'warn', 'off'],
      default: 'enforce',
      description: 'enforce blocks, warn forwards and reports, off does not judge',
    },
    guard: {
      enum: ['on', 'strict', 'off', true, false],
      bare: 'on',
      description:
        'Block a project PATCH that deletes environments; strict: also where nothing is known (on in proxy; --no-guard)',
    },
    basePath: {
      ...of('path'),
      description: 'Judge only paths below this one, as the target gets them: /api/v2',
    },
  }),
  ...group('Guard', {
    state: {
      ...of('fileOrOff'),
      description:
        'File with the last known state of the projects; proxy keeps one: .patchgate/state.json (--no-state)',
    },
    readState: {
      type: 'boolean',
      default: true,
      description:
        'Before a PATCH of a project, read it from the target with one GET; --no-read-state: judge by what is remembered',
    },
    approvers: {
      ...of('tokens'),
      default: [],
      secret: true,
      description:
        'Who may approve what a PATCH deletes, by bearer token: anna=env:ANNA_TOKEN,ben=file:ben.txt',
    },
    allowDelete: {
      ...of('texts'),
      default: [],
      description: 'Names of environments that may be deleted without asking: e2e-*',
    },
    protect: {
      ...of('names'),
      default: [],
      description: 'Names of environments that are never deleted, whatever is approved: Production',
    },
    audit: {
      ...of('file'),
      description: 'File to append a line of JSON to for each PATCH that is blocked, approved or deletes',
    },
  }),
  ...group('Recordings', {
    recordings: { ...of('file'), default: 'recordings', description: 'Folder that holds the recordings' },
    recording: { ...of('text'), default: 'default', description: 'Name of the recording to use' },
    record: {
      enum: ['all', 'new_episodes', 'once', 'none', true],
      bare: 'all',
      description: 'Keep what passes: all, new_episodes (replay what is known), once, none',
    },
    recordOnly: {
      enum: ['judged', 'ok', 'judged,ok'],
      description: 'Keep only what an operation judged, what was answered below 400 (ok), or both',
    },
    durability: {
      enum: ['process', 'fsync'],
      default: 'process',
      description: 'What a recorded exchange outlives: process (kill -9), fsync (a power cut)',
    },
  }),
  ...group('Replaying', {
    strictSequence: { ...flag, description: 'Refuse a request that comes more often than it was recorded' },
    failUnused: { ...flag, description: 'Exit with 1 if exchanges of the recording were never served' },
  }),
  ...group('Matching', {
    matchHeaders: {
      ...of('texts'),
      default: [],
      description: 'Headers that matching compares, too: accept-language',
    },
    ignorePointers: {
      ...of('pointers'),
      default: [],
      description: 'Places in JSON bodies that matching ignores: /environments/*/id',
    },
    ignoreQuery: { ...of('texts'), default: [], description: 'Parameters that matching ignores: timestamp' },
  }),
  ...group('Redaction', {
    redact: {
      ...of('secrets'),
      default: [],
      description: 'Further secret names and /pointers; !name keeps one: pin,/users/*/email,!signature',
    },
    redactPatterns: {
      ...of('patterns'),
      default: [],
      description: 'Regular expression whose matches are redacted; repeat it for more',
    },
  }),
  ...group('Target', {
    target: { ...of('url'), description: 'Base URL of the real service' },
    targetCa: {
      ...of('file'),
      description: "PEM file of the authorities of the target's certificate",
    },
    targetCert: {
      ...of('file'),
      description: 'PEM file with the certificate that the gate shows to the target',
    },
    targetKey: { ...of('file'), description: 'PEM file with its key' },
    targetInsecure: { ...flag, description: "Do not verify the target's certificate" },
    setHeader: {
      ...of('headers'),
      default: [],
      secret: true,
      description: "Header for the target: 'Authorization=env:STAGING_TOKEN'; NAME= leaves it out; repeat it",
    },
    timeout: {
      ...of('duration'),
      default: '30s',
      description: 'How long the target may be silent before it answers',
    },
  }),
  ...group('Server', {
    log: { enum: ['text', 'json', 'off'], default: 'text', description: 'One line per request' },
    port: {
      type: 'integer',
      minimum: 0,
      maximum: 65535,
      default: 4010,
      alias: 'p',
      description: 'Port to listen on; 0 takes a free one',
    },
    host: { ...of('text'), default: '127.0.0.1', description: 'Address to listen on' },
    tlsCert: { ...of('file'), description: 'PEM file with the certificate to serve clients over TLS with' },
    tlsKey: { ...of('file'), description: 'PEM file with its key' },
    controlToken: {
      ...of('text'),
      secret: true,
      description: 'Bearer token of the control API; needed off loopback',
    },
  }),
  ...group('Inspector', {
    ui: {
      type: 'integer',
      minimum: 0,
      maximum: 65535,
      description: 'Port of the inspector, a page that shows what passes; 0 takes a free one',
    },
  }),
  ...group('Faults', {
    fault: {
      ...of('faults'),
      default: [],
      description: 'A fault; repeat it: "PATCH /accounts/** status=503 rate=0.2 count=2"',
    },
  }),
  ...group('Database', {
    store: {
      ...of('text'),
      secret: true,
      description: 'PostgreSQL database that several gates share: postgres://db.example.com/patchgate',
    },
  }),
  ...group(undefined, {
    seed: { ...of('file'), description: 'JSON file with the records that the fake starts with' },
    failOn: {
      enum: ['error', 'warn'],
      default: 'error',
      description: 'Severity at which check exits with 1',
    },
  }),
};

export type SettingName = keyof typeof SETTINGS;
export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[];

/** The settings in force. One without a default is undefined where it is not given. */
export type SettingValues = {
  [Name in SettingName]: ValueOf<(typeof SETTINGS)[Name]> | (Name extends Optional ? undefined : never);
};
type ValueOf<S> = S extends { $ref: `#/definitions/${infer K extends ValueKind}` }
  ? Values[K]
  : S extends { enum: readonly (infer Word)[] }
    ? Exclude<Word, boolean>
    : S extends { type: 'boolean' }
      ? boolean
      : number;
/** Every command has a contract, and a guard of its own. */
type Optional = {
  [Name in SettingName]: (typeof SETTINGS)[Name] extends { default: unknown }
    ? never
    : Exclude<Name, 'contract' | 'guard'>;
}[SettingName];

export type RecordMode = NonNullable<SettingValues['record']>;

/** Its kind, where it has one of its own. */
export function kindOf({ $ref }: Setting): ValueKind | undefined {
  return $ref?.slice('#/definitions/'.length) as ValueKind | undefined;
}

/** The words that it takes, where it is one of several. */
export function wordsOf(setting: Setting): readonly string[] {
  return (setting.enum ?? []).filter((word) => typeof word === 'string');
}

/** Where a proxy keeps what is known, and `plan` looks for it. */
export const STATE_BY_DEFAULT = '.patchgate/state.json';

/**
 * What a command takes where no value is given: a real service is guarded, and remembered; what only plays one has nothing to
 * lose. What was made before is judged as it was sent, and a plan is about what would be lost.
 */
export const COMMAND_DEFAULTS = {
  proxy: { guard: 'on', state: STATE_BY_DEFAULT },
  replay: { guard: 'off' },
  fake: { guard: 'off' },
  exec: { guard: 'off', port: 0, log: 'off' },
  check: { guard: 'off' },
  plan: { guard: 'on', state: STATE_BY_DEFAULT },
} as const;

/**
 * What a command does not go by, whatever config file and environment say of it. (A flag that a command takes always counts.)
 */
export const UNHEEDED: Readonly<Record<string, readonly SettingName[]>> = {
  exec: ['port', 'ui', 'log', 'state'],
  check: ['state', 'validation'],
  plan: ['guard', 'validation'],
};

/** `failOnBlock` -> `fail-on-block` */
export function flagOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** `failOnBlock` -> `PATCHGATE_FAIL_ON_BLOCK` */
export function variableOf(name: string): string {
  return `PATCHGATE_${flagOf(name).replaceAll('-', '_').toUpperCase()}`;
}
