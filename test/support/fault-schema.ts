/** JSON Schema of one fault in a config file: as a text, and by its parts. */

type Schema = Record<string, unknown>;

const EFFECT = '(?:reset|(?:status|truncate|trickle|latency)=\\S+)';

export const FAULT_TEXT: Schema = {
  type: 'string',
  pattern: `(?:^|[\\s;])${EFFECT}(?:$|[\\s;])`,
  examples: ['PATCH /accounts/** status=503 rate=0.2 count=2', 'updateProject reset', 'GET truncate=50%'],
};

export const DURATION = '(?:\\d+(?:\\.\\d+)?\\s*(?:[mM]?[sS]|[mMhHdD])|0+(?:\\.0+)?)';
const whole = (minimum: number, maximum?: number): Schema => ({
  type: 'integer',
  minimum,
  ...(maximum !== undefined && { maximum }),
});
const has = (member: string): Schema => ({ required: [member], properties: { [member]: true } });

export const FAULT: Schema = {
  type: 'object',
  additionalProperties: false,
  anyOf: ['status', 'reset', 'truncate', 'trickle', 'latency'].map(has),
  dependencies: { retryAfter: ['status'], headers: ['status'], body: ['status'] },
  properties: {
    method: { description: 'Of requests: PATCH', type: 'string', pattern: '^[A-Z][A-Z-]{0,30}$' },
    path: {
      description: 'Glob of request paths: /accounts/*/projects/{42,43}',
      type: 'string',
      pattern: '^/(?![^]*[(|])[\\x21-\\x7e]*$',
      maxLength: 1000,
    },
    operation: {
      description: 'An operation of the contract',
      type: 'string',
      pattern: '^[\\w.-]{1,100}$',
      examples: ['updateProject', 'updateFeature', 'updateDraft'],
    },
    status: { description: 'Answers with it, and no upstream sees the request', ...whole(200, 599) },
    retryAfter: { description: 'Seconds, for the header Retry-After', ...whole(0, 999_999_999) },
    headers: {
      description: 'Headers of that answer',
      type: 'object',
      additionalProperties: {
        anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }],
      },
    },
    body: { description: 'Body of that answer: a text as it is, any other value as JSON' },
    reset: { description: 'Breaks the connection before a byte of the answer', const: true },
    truncate: {
      description: 'Breaks it after so much of the body: 50%, or bytes',
      anyOf: [{ type: 'string', pattern: '^(?:\\d{1,2}(?:\\.\\d+)?%|\\d+)$' }, whole(0)],
    },
    trickle: {
      description: 'Bytes of the body a second',
      anyOf: [
        {
          type: 'string',
          pattern: '^(?=.*[1-9])\\d+(?:\\.\\d+)?\\s*(?:(?:[kKmM][iI]?)?[bB])?(?:/s)?$',
        },
        { type: 'number', minimum: 1 },
      ],
      examples: ['100B/s', '1KiB/s'],
    },
    latency: {
      description: 'How long the answer waits',
      anyOf: [{ type: 'string', pattern: `^(?:recorded|${DURATION}(?:\\.\\.${DURATION})?)$` }, { const: 0 }],
      examples: ['2s', '50ms..200ms', 'recorded'],
    },
    rate: { description: 'How likely it is, each time', type: 'number', minimum: 0, maximum: 1 },
    count: { description: 'It happens so often at most, in each session', ...whole(1) },
    after: { description: 'So many requests that fit go by first, in each session', ...whole(0) },
  },
};
