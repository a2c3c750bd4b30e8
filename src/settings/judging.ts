import { VALIDATION_MODES } from './modes.ts';
import { LONGEST_TIMER, type Setting } from './setting.ts';

/** Settings of what is judged, and by what is known. */
export const JUDGING = {
  contract: {
    kind: 'string',
    isPath: true,
    describe: 'Folder or contract.json with the operations, schemas and rules',
  },
  validation: {
    kind: 'choice',
    choices: VALIDATION_MODES,
    default: 'enforce',
    describe: 'enforce blocks, warn forwards and reports, off does not judge',
  },
  guard: {
    kind: 'choice',
    choices: ['on', 'strict', 'off'],
    bare: 'on',
    describe:
      'Block a project PATCH that deletes environments; strict: also where nothing is known (on in proxy, strict in verify; --no-guard)',
  },
  account: { kind: 'integer', describe: 'Id of the workspace that current means in a path: 196' },
  state: {
    kind: 'string',
    isPath: true,
    mayBeOff: true,
    describe:
      'File with what the service holds, as far as it is known; proxy keeps one: .patchgate/state.json (--no-state)',
  },
  readState: {
    kind: 'boolean',
    describe:
      'Before the first PATCH of a project of which nothing is known, read it from the target (on in verify). --no-read-state: the gate sends no GET of its own, not even before a 409 for what may be gone',
  },
  stateLag: {
    kind: 'duration',
    max: LONGEST_TIMER,
    default: '60s',
    describe:
      'How old an answer of the target may be: an environment that was seen more lately than that is not taken for gone',
  },
  learn: {
    kind: 'list',
    choices: ['project', 'feature', 'draft'],
    default: 'project',
    describe: 'Kinds of record that answers show whole, to learn from: project, feature, draft',
  },
  approvalTtl: {
    kind: 'duration',
    min: 1,
    max: LONGEST_TIMER,
    default: '10m',
    describe: 'How long the token of a 409 may be used, in the header Patchgate-Approve',
  },
  allowDelete: {
    kind: 'list',
    default: '',
    describe: 'Names of environments that may be deleted without asking: e2e-*',
  },
  unlisted: {
    kind: 'choice',
    choices: ['pass', 'block'],
    default: 'pass',
    describe: "PATCHes below a judged record's path that no operation lists",
  },
  basePath: { kind: 'path', describe: 'Judge only paths below this one, as the target gets them: /api/v2' },
  bodyLimit: {
    kind: 'size',
    // A text of this many bytes fits a string of Node.
    max: 256 * 1024 * 1024,
    default: '5MiB',
    describe: 'Largest body to judge, before and after decoding',
  },
  failOn: {
    kind: 'choice',
    choices: ['error', 'warn'],
    default: 'error',
    describe: 'Severity at which check and verify exit with 1',
  },
  failOnBlock: {
    kind: 'boolean',
    default: false,
    describe: 'Exit with 1 where the gate blocked a request',
  },
  baseline: {
    kind: 'string',
    isPath: true,
    describe: 'File with known findings, which do not fail: patchgate-baseline.json',
  },
} as const satisfies Record<string, Setting>;
