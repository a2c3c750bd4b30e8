import type { FaultRule } from './faults.ts';

/** A setting as a JSON Schema, with keywords of our own. */
export interface Setting {
  description: string;
  $ref?: `#/definitions/${ValueKind}`;
  type?: 'boolean' | 'integer';
  /** `true` is the bare flag, `false` is off. */
  enum?: readonly (string | boolean)[];
  minimum?: number;
  maximum?: number;
  default?: string | number | boolean | readonly string[];
  group?: string;
  alias?: string;
  /** What the flag means without a value. */
  bare?: string;
  /** Messages never show it, and an empty variable is an error: what it was to protect would stay open. */
  secret?: true;
  /** Only `--help-all` shows it. */
  rare?: true;
}

type Texts = string | readonly string[];
/** `30s`, `1.5h` */
type DurationText = `${number}${'ms' | 's' | 'm' | 'h' | 'd'}`;
type TextKind = 'text' | 'file' | 'url';
type ListKind = 'list' | 'pointers' | 'secrets' | 'headers' | 'tokens';
/** Kinds of values: as people write them, and as they are in force. schema.ts says what each takes. */
type Kinds = Record<TextKind, [written: string, value: string]> &
  Record<ListKind, [Texts, string[]]> & {
    /** `""` is off. */
    fileOrOff: [string | false, string];
    /** In force, milliseconds. */
    duration: [DurationText | 0, number];
    faults: [Texts, FaultRule[]];
  };
export type ValueKind = keyof Kinds;

const kind = <K extends ValueKind>(name: K) => ({ $ref: `#/definitions/${name}` as const });
const list = <K extends ValueKind>(name: K) => ({ ...kind(name), default: [] as readonly string[] });
const words = <const W extends readonly (string | boolean)[]>(...all: W) => ({ enum: all });
const file = kind('file');
const off = { type: 'boolean', default: false } as const;
const port = { type: 'integer', minimum: 0, maximum: 65535 } as const;
const rare = true;
const secret = true;
const group = <const T extends Readonly<Record<string, Setting>>>(heading: string, settings: T): T =>
  Object.fromEntries(
    Object.entries(settings).map(([name, setting]) => [name, { ...setting, group: heading }]),
  ) as unknown as T;

/**
 * Every setting, once: flags, environment, config file, its published schema, types, help and documents come from this table.
 * The flag is the name in kebab case, the variable `PATCHGATE_` and the name in capitals.
 */
export const SETTINGS = {
  ...group('Target', {
    target: { ...kind('url'), description: 'Base URL of the real service' },
    setHeader: { ...list('headers'), secret, description: 'Header for the target: Authorization=env:TOKEN' },
    timeout: { ...kind('duration'), rare, default: '30s', description: 'How long the target may take' },
    targetCa: { ...file, rare, description: "PEM file of the authorities of the target's certificate" },
    targetCert: { ...file, rare, description: 'PEM file with the certificate for the target' },
    targetKey: { ...file, rare, description: 'PEM file with its key' },
  }),
  ...group('Judging', {
    contract: { ...file, description: 'Folder or contract.json of a contract, or an OpenAPI document' },
    validation: {
      ...words('enforce', 'warn', 'off'),
      default: 'enforce',
      description: 'If a request is wrong',
    },
  }),
  ...group('Guard', {
    guard: {
      ...words('on', 'strict', 'off', true, false),
      bare: 'on',
      description: 'Block deletions by PATCH',
    },
    allowDelete: { ...list('list'), description: 'Environments that may be deleted unasked: e2e-*' },
    protect: { ...list('list'), description: 'Environments that are never deleted: Production' },
    approvers: { ...list('tokens'), secret, rare, description: 'Who may approve deletions: anna=env:TOKEN' },
    audit: { ...file, rare, description: 'File to log blocked, approved and deleting PATCHes to' },
    state: { ...kind('fileOrOff'), rare, description: 'File that remembers the records; --no-state: none' },
    readState: { ...off, default: true, rare, description: 'Read a project before judging its PATCH' },
  }),
  ...group('Recording', {
    record: {
      ...words('all', 'new_episodes', 'once', 'none', true),
      bare: 'all',
      description: 'Keep traffic',
    },
    recording: { ...kind('text'), default: 'default', description: 'Name of the recording' },
    recordings: { ...file, rare, default: 'recordings', description: 'Folder of the recordings' },
    recordOnly: { ...words('judged', 'ok', 'judged,ok'), rare, description: 'Keep less; ok: below 400' },
    redact: { ...list('secrets'), description: 'Further secrets: pin,/users/*/email; !name keeps one' },
    store: { ...kind('text'), secret, rare, description: 'Shared database: postgres://db.test/patchgate' },
    ignorePointers: { ...list('pointers'), description: 'Places that matching ignores: /environments/*/id' },
    ignoreQuery: { ...list('list'), rare, description: 'Parameters that matching ignores: timestamp' },
    matchHeaders: { ...list('list'), rare, description: 'Headers that matching compares, too' },
    strictSequence: { ...off, rare, description: 'Refuse a request sent more often than recorded' },
    failUnused: { ...off, description: 'Exit with 1 if something recorded was never asked for' },
  }),
  ...group('Server', {
    port: { ...port, default: 4010, alias: 'p', description: 'Port to listen on; 0 takes a free one' },
    host: { ...kind('text'), default: '127.0.0.1', rare, description: 'Address to listen on' },
    ui: { ...port, description: 'Port of the page that shows what passes' },
    log: { enum: ['text', 'json', 'off'], default: 'text', description: 'Form of the access log' },
    controlToken: { ...kind('text'), secret, rare, description: 'Bearer token of the control API' },
    tlsCert: { ...file, rare, description: 'PEM file with the certificate to serve TLS with' },
    tlsKey: { ...file, rare, description: 'PEM file with its key' },
    fault: { ...list('faults'), description: 'Fault, repeatable: "PATCH /accounts/** status=503 rate=0.2"' },
    seed: { ...file, description: 'JSON file with the records that the fake starts with' },
  }),
  ...group('Checking', {
    failOn: { enum: ['error', 'warn'], default: 'error', description: 'Severity that makes the exit code 1' },
  }),
};

export type SettingName = keyof typeof SETTINGS;
export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[];
export const settingOf = (name: SettingName): Setting => SETTINGS[name];

type Of<S, Form extends 0 | 1, Word> = S extends { $ref: `#/definitions/${infer K extends ValueKind}` }
  ? Kinds[K][Form]
  : S extends { enum: readonly (infer W)[] }
    ? Exclude<W, Word>
    : S extends { type: 'boolean' }
      ? boolean
      : number;
type Table = typeof SETTINGS;
/** Every command has a contract and its guard. */
type Optional = {
  [Name in SettingName]: Table[Name] extends { default: unknown }
    ? never
    : Exclude<Name, 'contract' | 'guard'>;
}[SettingName];

/** The settings as people write them. */
export type WrittenSettings = { -readonly [Name in SettingName]?: Of<Table[Name], 0, never> | undefined };
/** The settings in force. One without a default is undefined if it is not given. */
export type SettingValues = {
  [Name in SettingName]: Of<Table[Name], 1, boolean> | (Name extends Optional ? undefined : never);
};
export type RecordMode = NonNullable<SettingValues['record']>;

export function kindOf(name: SettingName): ValueKind | undefined {
  return settingOf(name).$ref?.slice('#/definitions/'.length) as ValueKind | undefined;
}

/** Where a proxy keeps what is known, and `plan` looks for it. */
export const STATE_BY_DEFAULT = '.patchgate/state.json';

/** What a command takes if no value is given. What only plays a service has nothing to lose. */
export const COMMAND_DEFAULTS = {
  proxy: { guard: 'on', state: STATE_BY_DEFAULT },
  replay: { guard: 'off' },
  fake: { guard: 'off' },
  exec: { guard: 'off', port: 0, log: 'off' },
  check: { guard: 'off' },
  plan: { guard: 'on', state: STATE_BY_DEFAULT },
} as const;

/** `failUnused` -> `fail-unused` */
export function flagOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** `failUnused` -> `PATCHGATE_FAIL_UNUSED` */
export function variableOf(name: string): string {
  return `PATCHGATE_${flagOf(name).replaceAll('-', '_').toUpperCase()}`;
}
