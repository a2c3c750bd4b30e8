/** HAR 1.2 (http://www.softwareishard.com/blog/har-12-spec/) as a JSON Schema: what it says must be there, and of which type. */
const text = { type: 'string' };
const integer = { type: 'integer' };
const pairs = {
  type: 'array',
  items: { type: 'object', required: ['name', 'value'], properties: { name: text, value: text } },
};

const request = {
  type: 'object',
  required: ['method', 'url', 'httpVersion', 'cookies', 'headers', 'queryString', 'headersSize', 'bodySize'],
  properties: {
    method: text,
    url: { type: 'string', pattern: '^https?://' },
    httpVersion: text,
    cookies: { type: 'array' },
    headers: pairs,
    queryString: pairs,
    postData: {
      type: 'object',
      required: ['mimeType'],
      properties: { mimeType: text, text, params: pairs, comment: text },
    },
    headersSize: integer,
    bodySize: integer,
  },
};

const response = {
  type: 'object',
  required: [
    'status',
    'statusText',
    'httpVersion',
    'cookies',
    'headers',
    'content',
    'redirectURL',
    'headersSize',
    'bodySize',
  ],
  properties: {
    status: integer,
    statusText: text,
    httpVersion: text,
    cookies: { type: 'array' },
    headers: pairs,
    content: {
      type: 'object',
      required: ['size', 'mimeType'],
      properties: { size: integer, mimeType: text, text, encoding: text, comment: text },
    },
    redirectURL: text,
    headersSize: integer,
    bodySize: integer,
  },
};

const time = { type: 'number', minimum: 0 };

export const HAR_SCHEMA = {
  type: 'object',
  required: ['log'],
  properties: {
    log: {
      type: 'object',
      required: ['version', 'creator', 'entries'],
      properties: {
        version: { const: '1.2' },
        creator: { type: 'object', required: ['name', 'version'], properties: { name: text, version: text } },
        entries: {
          type: 'array',
          items: {
            type: 'object',
            required: ['startedDateTime', 'time', 'request', 'response', 'cache', 'timings'],
            properties: {
              startedDateTime: {
                type: 'string',
                pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
              },
              time,
              request,
              response,
              cache: { type: 'object' },
              timings: {
                type: 'object',
                required: ['send', 'wait', 'receive'],
                properties: { send: time, wait: time, receive: time },
              },
            },
          },
        },
      },
    },
  },
};
