import { LONGEST_TIMER, type Setting } from './setting.ts';

/** Settings of what is answered from a recording. */
export const REPLAYING = {
  onMiss: {
    kind: 'choice',
    choices: ['refuse', 'forward', 'record'],
    default: 'refuse',
    describe: 'What to do with a request that is not in the recording',
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
  formsAsSets: {
    kind: 'boolean',
    default: false,
    describe: 'Matching ignores the order of the fields of a form',
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
} as const satisfies Record<string, Setting>;
