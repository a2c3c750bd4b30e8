/**
 * Every setting of the tool, once: flags, environment, config file, help and `patchgate config` are made from this
 * table. Names are those of the config file; the flag is the same in kebab case, the variable `PATCHGATE_` in capitals.
 */

/** A list's text is parted at commas, `pointers` too: JSON Pointers; that of patterns, regular expressions, is one of them. */
export type SettingKind =
  | 'string'
  | 'path'
  | 'boolean'
  | 'integer'
  | 'duration'
  | 'size'
  | 'choice'
  | 'list'
  | 'pointers'
  | 'patterns';

export interface Setting {
  kind: SettingKind;
  describe: string;
  /** The value where nobody says anything; a command may have its own. */
  default?: string | number | boolean;
  choices?: readonly string[];
  /** What the bare flag means, where its value may be left out. */
  bare?: string;
  /** Bounds of an integer, a size in bytes or a duration in milliseconds. */
  min?: number;
  max?: number;
  alias?: string;
  /** An empty variable is an error, not left out: what it was to protect would stay open, and nobody would notice. */
  secret?: true;
}

export const RECORD_MODES = ['all', 'new_episodes', 'once', 'none'] as const;
export type RecordMode = (typeof RECORD_MODES)[number];
export const VALIDATION_MODES = ['enforce', 'warn', 'off'] as const;
export type ValidationMode = (typeof VALIDATION_MODES)[number];
export const DURABILITIES = ['process', 'fsync'] as const;
export type Durability = (typeof DURABILITIES)[number];
export const LOG_FORMATS = ['text', 'json', 'off'] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

/** Milliseconds; a timer of Node that is to wait longer fires at once. */
const LONGEST_TIMER = 2_147_483_647;

export const SETTINGS = {
  contract: { kind: 'string', describe: 'Folder or contract.json with the operations, schemas and rules' },
  recordings: { kind: 'string', default: 'recordings', describe: 'Folder that holds the recordings' },
  recording: { kind: 'string', default: 'default', describe: 'Name of the recording to use' },
  record: {
    kind: 'choice',
    choices: RECORD_MODES,
    bare: 'all',
    describe: 'Keep what passes: all, new_episodes (replay what is known), once, none (replay only)',
  },
  recordInCi: { kind: 'boolean', default: false, describe: 'Record even where CI=true' },
  refreshMeta: {
    kind: 'boolean',
    default: false,
    describe: 'Record the time anew where nothing else of an exchange changed',
  },
  recordLimit: {
    kind: 'size',
    max: 256 * 1024 * 1024,
    default: '64MiB',
    describe: 'Largest body to keep in a recording',
  },
  durability: {
    kind: 'choice',
    choices: DURABILITIES,
    default: 'process',
    describe: 'What a recorded exchange outlives: process (kill -9), fsync (a power cut; slower)',
  },
  redact: {
    kind: 'list',
    default: '',
    describe: 'Further names of headers, parameters and fields never kept or shown: pin,ssn',
  },
  redactPointers: {
    kind: 'pointers',
    default: '',
    describe: 'Places in JSON bodies to redact: /users/*/email',
  },
  redactPatterns: {
    kind: 'patterns',
    default: '',
    describe: 'Regular expression whose matches are redacted; repeat it for more',
  },
  detectSecrets: {
    kind: 'boolean',
    default: true,
    describe: 'Redact what looks like a secret (--no-detect-secrets turns it off)',
  },
  matchHeaders: {
    kind: 'list',
    default: '',
    describe: 'Headers that matching compares, too: accept-language',
  },
  ignorePointers: {
    kind: 'pointers',
    default: '',
    describe: 'Places in JSON bodies that matching ignores: /environments/*/id',
  },
  ignoreQuery: { kind: 'list', default: '', describe: 'Parameters that matching ignores: timestamp' },
  arraysAsSets: {
    kind: 'pointers',
    default: '',
    describe: 'Arrays whose order matching ignores: /languages',
  },
  strictSequence: {
    kind: 'boolean',
    default: false,
    describe: 'Refuse a request that comes more often than it was recorded',
  },
  replayFailures: {
    kind: 'boolean',
    default: false,
    describe: 'Fail as the target did when it was recorded: timeouts, resets, cut responses',
  },
  maxAge: { kind: 'duration', describe: 'Age from which an exchange is stale: 30d' },
  onStale: {
    kind: 'choice',
    choices: ['warn', 'refuse'],
    default: 'warn',
    describe: 'What to do with a stale exchange',
  },
  failUnused: {
    kind: 'boolean',
    default: false,
    describe: 'Exit with 1 where exchanges of the recording were never served',
  },
  sessionIdle: {
    kind: 'duration',
    max: LONGEST_TIMER,
    default: '10m',
    describe: 'How long a session lasts that nobody uses; 0 is for ever',
  },
  memory: {
    kind: 'size',
    default: '48MiB',
    describe: 'Memory for exchanges that are replayed, about',
  },
  onMiss: {
    kind: 'choice',
    choices: ['refuse', 'forward', 'record'],
    default: 'refuse',
    describe: 'What to do with a request that is not in the recording',
  },
  target: { kind: 'string', describe: 'Base URL of the real service' },
  targetCa: {
    kind: 'string',
    describe: "PEM file of the authorities that the target's certificate may come from",
  },
  targetInsecure: { kind: 'boolean', default: false, describe: "Do not verify the target's certificate" },
  preserveHost: {
    kind: 'boolean',
    default: false,
    describe: "Send the target the client's Host, not its own",
  },
  forwardedHeaders: {
    kind: 'boolean',
    default: false,
    describe: 'Tell the target who asks: X-Forwarded-For, -Proto and -Host',
  },
  validation: {
    kind: 'choice',
    choices: VALIDATION_MODES,
    default: 'enforce',
    describe: 'enforce blocks, warn forwards and reports, off does not judge',
  },
  guard: {
    kind: 'choice',
    choices: ['on', 'off'],
    bare: 'on',
    describe: 'Block a project PATCH that deletes environments; on in proxy (--no-guard turns it off)',
  },
  unlisted: {
    kind: 'choice',
    choices: ['pass', 'block'],
    default: 'pass',
    describe: "PATCHes below a judged record's path that no operation lists",
  },
  basePath: { kind: 'path', describe: 'Judge only paths below this one: /api/v2' },
  bodyLimit: {
    kind: 'size',
    // A text of this many bytes fits a string of Node.
    max: 256 * 1024 * 1024,
    default: '5MiB',
    describe: 'Largest body to judge, before and after decoding',
  },
  timeout: {
    kind: 'duration',
    max: LONGEST_TIMER,
    default: '30s',
    describe: 'How long the target may be silent before it answers',
  },
  clientTimeout: {
    kind: 'duration',
    max: LONGEST_TIMER,
    default: '60s',
    describe: 'How long a client may take for its request; 0 is for ever',
  },
  log: { kind: 'choice', choices: LOG_FORMATS, default: 'text', describe: 'One line per request' },
  port: {
    kind: 'integer',
    min: 0,
    max: 65535,
    default: 4010,
    alias: 'p',
    describe: 'Port to listen on; 0 takes a free one',
  },
  host: { kind: 'string', default: '127.0.0.1', describe: 'Address to listen on' },
  tlsCert: { kind: 'string', describe: 'PEM file with the certificate to serve clients over TLS with' },
  tlsKey: { kind: 'string', describe: 'PEM file with its key' },
  controlToken: {
    kind: 'string',
    secret: true,
    describe: 'Bearer token of the control API; needed off loopback',
  },
  seed: { kind: 'string', describe: 'JSON file with the records that the fake starts with' },
  envelope: { kind: 'string', describe: "Member that wraps the fake's answers: _data" },
  latency: {
    kind: 'duration',
    max: LONGEST_TIMER,
    default: '0ms',
    describe: 'How long the fake waits before it answers',
  },
  failOn: {
    kind: 'choice',
    choices: ['error', 'warn'],
    default: 'error',
    describe: 'Severity at which check exits with 1',
  },
} as const satisfies Record<string, Setting>;

export type SettingName = keyof typeof SETTINGS;

/** `recordInCi` -> `record-in-ci` */
export function flagOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** `recordInCi` -> `PATCHGATE_RECORD_IN_CI` */
export function variableOf(name: string): string {
  return `PATCHGATE_${flagOf(name).replaceAll('-', '_').toUpperCase()}`;
}
