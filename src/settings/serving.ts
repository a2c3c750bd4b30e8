import { LOG_FORMATS } from './modes.ts';
import { LONGEST_TIMER, type Setting } from './setting.ts';

/** Settings of the target, the clients, the fake, and what makes answers fail. */
export const SERVING = {
  target: { kind: 'url', describe: 'Base URL of the real service' },
  targetCa: {
    kind: 'string',
    isPath: true,
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
  allowHost: {
    kind: 'list',
    default: '',
    describe:
      'Further names, beside those of this machine and the target, that clients on loopback may use: gate.test,*.gate.test',
  },
  tlsCert: {
    kind: 'string',
    isPath: true,
    describe: 'PEM file with the certificate to serve clients over TLS with',
  },
  tlsKey: { kind: 'string', isPath: true, describe: 'PEM file with its key' },
  controlToken: {
    kind: 'string',
    secret: true,
    describe: 'Bearer token of the control API; needed off loopback',
  },
  seed: { kind: 'string', isPath: true, describe: 'JSON file with the records that the fake starts with' },
  envelope: { kind: 'string', describe: "Member that wraps the fake's answers: _data" },
  latency: {
    kind: 'latency',
    default: '0ms',
    describe: 'How long each answer waits: 100ms, 50ms..200ms, recorded (as long as it took then)',
  },
  faults: {
    kind: 'faults',
    alias: 'fault',
    default: '',
    describe: 'What fails, and how; repeat it for more: "PATCH /accounts/** status=503 rate=0.2 count=2"',
  },
  faultSeed: {
    kind: 'integer',
    describe: 'Seed of what faults draw, to repeat a run: 1234',
  },
} as const satisfies Record<string, Setting>;
