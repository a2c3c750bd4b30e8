import { DURABILITIES, RECORD_MODES } from './modes.ts';
import type { Setting } from './setting.ts';

/** Settings of what is kept, and of what never is. */
export const RECORDING = {
  recordings: {
    kind: 'string',
    isPath: true,
    default: 'recordings',
    describe: 'Folder that holds the recordings',
  },
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
  noRedact: {
    kind: 'list',
    default: '',
    describe: 'Names that are kept and shown although they look like those of secrets: signature',
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
} as const satisfies Record<string, Setting>;
