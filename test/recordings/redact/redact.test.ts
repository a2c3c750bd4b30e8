import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../src/json/json.ts';
import { SecretNotices } from '../../../src/recordings/redact/notices.ts';
import {
  pathsWithToken,
  redactBody,
  redactBodyStart,
  redactBytes,
  redactExchange,
  redactJson,
  redactPath,
  redactRawHeaders,
  redactUrl,
} from '../../../src/recordings/redact/redact.ts';
import { DEFAULT_REDACTION, redactionOf, rememberGiven } from '../../../src/recordings/redact/redaction.ts';
import { exchange } from '../../support/exchanges.ts';

const HEADERS = [
  'Authorization',
  'Proxy-Authorization',
  'Cookie',
  'Set-Cookie',
  'Token',
  'X-Api-Key',
  'API_KEY',
  'xAuthToken',
  'x-csrf-token',
  'Set-Cookie2',
  'X-Vault-Token',
  'X-Access-Token',
  'x_client_secret',
  'Password',
];
const MEMBERS = [
  'password',
  'PASSWD',
  'secret',
  'token',
  'access_token',
  'refreshToken',
  'api-key',
  'SDK_Key',
  'client-secret',
  'privatekey',
  'Authorization',
  'X-Api-Key',
  'x-token',
];

describe('redactRawHeaders', () => {
  it.each(HEADERS)('hides %s', (name) => {
    expect(redactRawHeaders([name, 's3cret'], DEFAULT_REDACTION)).toEqual([name, '[redacted]']);
  });

  it('hides secrets in the URLs that headers hold, and nothing else', () => {
    expect(
      redactRawHeaders(['Location', '/x?token=a&b=1', 'Accept', 'text/token'], DEFAULT_REDACTION),
    ).toEqual(['Location', '/x?token=[redacted]&b=1', 'Accept', 'text/token']);
  });
});

describe('redactUrl', () => {
  it.each([
    ['/a?token=x', '/a?token=[redacted]'],
    ['/a?b=1&API-KEY=x&c', '/a?b=1&API-KEY=[redacted]&c'],
    ['/a?tok%65n=x', '/a?tok%65n=[redacted]'],
    ['/a?user[password]=x&user.secret=y', '/a?user[password]=[redacted]&user.secret=[redacted]'],
    ['https://host/a#access_token=x', 'https://host/a#access_token=[redacted]'],
    ['https://me:pw@host/a', 'https://[redacted]@host/a'],
    ['/proxy/https://me:p4ss@host/a', '/proxy/https://[redacted]@host/a'],
    ['/proxy/https://host:80/@a', '/proxy/https://host:80/@a'],
    ['/token/x', '/token/x'],
    ['/a?b=token', '/a?b=token'],
  ])('%s', (url, clean) => {
    expect(redactUrl(url, DEFAULT_REDACTION)).toBe(clean);
  });
});

describe('redactJson', () => {
  it.each(MEMBERS)('hides a member named %s at any depth, whatever it holds', (name) => {
    const value = { list: [{ [name]: { a: ['s3cret'] } }], [name]: 7 };
    expect(redactJson(value, DEFAULT_REDACTION)).toEqual({
      list: [{ [name]: '[redacted]' }],
      [name]: '[redacted]',
    });
  });

  it('copies only what changes, and leaves what it was given', () => {
    const value: JsonValue = { kept: { a: 1 }, login: { token: 'x', user: 'u' } };
    const clean = redactJson(value, DEFAULT_REDACTION) as Record<string, JsonValue>;
    expect(clean.kept).toBe(value.kept);
    expect(value.login).toEqual({ token: 'x', user: 'u' });
    const harmless: JsonValue = { a: [{ tokens: 1 }] };
    expect(redactJson(harmless, DEFAULT_REDACTION)).toBe(harmless);
  });

  it('reaches below a member named __proto__', () => {
    const value = JSON.parse('{"__proto__":{"token":"s3cret"}}') as JsonValue;
    expect(JSON.stringify(redactJson(value, DEFAULT_REDACTION))).toBe('{"__proto__":{"token":"[redacted]"}}');
  });

  it('takes further names', () => {
    expect(redactJson({ pin_code: 1 }, redactionOf({ redact: ['pinCode'] }))).toEqual({
      pin_code: '[redacted]',
    });
  });
});

describe('redactBody', () => {
  it.each([
    [
      'a member twice',
      '{"token": "s3cret", "token": "s3cret"}',
      '{"token": "[redacted]", "token": "[redacted]"}',
    ],
    ['cut short', '{"a":1,"token":"s3cr', '{"a":1,"token":"[redacted]'],
    [
      'lines of JSON',
      '{"token":1}\n{"token":[{"a":"]"}],"b":2}',
      '{"token":"[redacted]"}\n{"token":"[redacted]","b":2}',
    ],
    ['an event', 'data: {"secret":"s3\\"cret","b":2}\n\n', 'data: {"secret":"[redacted]","b":2}\n\n'],
    ['an escaped name', '{"tok\\u0065n" : "s3cret"}', '{"tok\\u0065n" : "[redacted]"}'],
    ['after an odd quote', 'say "hi {"token":"s3cret"}', 'say "hi {"token":"[redacted]"}'],
    ['a value of that name', '{"a":"token","b":1}', '{"a":"token","b":1}'],
  ])('in text: %s', (_, text, clean) => {
    expect(redactBody({ text }, 'application/json', DEFAULT_REDACTION)).toEqual({ text: clean });
  });

  it('in a form', () => {
    const text = 'user=a&password=s3cret&x=%22token%22';
    expect(
      redactBody({ text }, 'application/x-www-form-urlencoded; charset=utf-8', DEFAULT_REDACTION),
    ).toEqual({
      text: 'user=a&password=[redacted]&x=%22token%22',
    });
  });

  it('in bytes that are no UTF-8, which otherwise stay', () => {
    const bytes = (secret: string) => Buffer.from(`{"name":"\xff","token":"${secret}"}`, 'latin1');
    const clean = redactBody({ base64: bytes('s3cret').toString('base64') }, undefined, DEFAULT_REDACTION);
    expect(clean).toEqual({ base64: bytes('[redacted]').toString('base64') });
  });
});

describe('redactBodyStart', () => {
  it('reads coded bodies, and shows nothing of those that it cannot read', () => {
    const body = Buffer.from('{"token":"s3cret"}');
    const headers = ['Content-Type', 'application/json', 'Content-Encoding', 'gzip'];
    const shown = (bytes: Buffer) =>
      redactBodyStart(bytes, headers, 1000, false, DEFAULT_REDACTION).bytes.toString();
    expect(shown(gzipSync(body))).toBe('{"token":"[redacted]"}');
    expect(shown(gzipSync(body).subarray(0, 12))).toBe('[redacted]');
  });
});

describe('redactExchange', () => {
  it('leaves no secret anywhere', () => {
    const clean = redactExchange(
      exchange({
        query: 'token=s3cret',
        requestHeaders: { authorization: 's3cret', accept: '*/*' },
        body: { json: { password: 's3cret' } },
        headers: { 'set-cookie': ['s3cret'], location: '/?secret=s3cret', 'content-type': 'text/plain' },
        answer: { text: '{"apiKey":"s3cret"}' },
      }),
      DEFAULT_REDACTION,
    );
    expect(JSON.stringify(clean)).not.toContain('s3cret');
    expect(clean.request.headers).toEqual({ authorization: '[redacted]', accept: '*/*' });
    expect(clean.response?.headers).toEqual({
      location: '/?secret=[redacted]',
      'content-type': 'text/plain',
    });
  });
});

const FORM = 'application/x-www-form-urlencoded';
const redacted = (text: string, contentType?: string) =>
  redactBytes(Buffer.from(text), contentType, DEFAULT_REDACTION).toString();

describe('redactBytes', () => {
  it('gives the very bytes back where there is nothing to hide', () => {
    const bytes = Buffer.from('{"a":1}');
    expect(redactBytes(bytes, 'application/json', DEFAULT_REDACTION)).toBe(bytes);
  });

  it('hides parts of a form by their names, whatever is in them', () => {
    const form = (secret: string) =>
      [
        '--x\r\nContent-Disposition: form-data; name="user"\r\n\r\nada\r\n',
        `--x\r\nContent-Disposition: form-data; name="password"; filename="p"\r\n\r\n${secret}\r\n`,
        '--x\r\nContent-Disposition: form-data; name=passing\r\n\r\na',
        '\r\n--x--\r\n',
      ].join('');
    expect(redacted(form('one\r\n\r\ntwo'), 'multipart/form-data; boundary=x')).toBe(form('[redacted]'));
  });

  it('looks into the JSON that a tool calls a form', () => {
    expect(redacted('{"token":"a=b&c","d":1}', FORM)).toBe('{"token":"[redacted]","d":1}');
    expect(redacted("password=a'b&c=1", FORM)).toBe('password=[redacted]&c=1');
  });

  it('finds by a pattern letters that are no ASCII', () => {
    const redaction = redactionOf({ redactPatterns: ['Straße \\d+'] });
    expect(redactBytes(Buffer.from('{"a":"Straße 12"}'), undefined, redaction).toString()).toBe(
      '{"a":"[redacted]"}',
    );
  });
});

describe('a form of parts', () => {
  const redacted = (text: string) =>
    redactBytes(Buffer.from(text), 'multipart/form-data; boundary=zz', DEFAULT_REDACTION).toString();
  const part = (head: string, content: string) => `--zz\r\n${head}\r\n\r\n${content}\r\n--zz--\r\n`;

  it.each([
    'Content-Disposition: form-data; name="password"',
    'Content-Disposition: form-data; name=token',
    "content-disposition:form-data;NAME = 'token'",
    'Content-Disposition: form-data; filename="name=a"; name="token"',
    'Content-Disposition: form-data; name="user[token]"',
    "Content-Disposition: form-data; name*=UTF-8''p%61ssword",
  ])('hides a part by its name: %s', (head) => {
    const clean = part(head, '[redacted]');
    expect(redacted(part(head, 'a\r\nb'))).toBe(clean);
    expect(redacted(clean)).toBe(clean);
  });

  it('looks into a part in base64', () => {
    const coded = (text: string) => Buffer.from(text).toString('base64');
    const head = 'Content-Disposition: form-data; name="a"\r\nContent-Transfer-Encoding: base64';
    expect(redacted(part(head, coded('{"a":1,"token":"x"}')))).toBe(part(head, '[redacted]'));
    expect(redacted(part(head, '[redacted]'))).toBe(part(head, '[redacted]'));
    expect(redacted(part(head, coded('a token')))).toBe(part(head, coded('a token')));
  });

  it.each(['name="filename"', 'name="a"; filename="token"'])(
    'leaves other parts as they are: %s',
    (parameters) => {
      const text = part(`Content-Disposition: form-data; ${parameters}`, 'AAAA token of b');
      expect(redacted(text)).toBe(text);
    },
  );
});

const KEY = '5e884898da28047151d0e56f';

describe('redactPath', () => {
  it('hides a token that another message has named', () => {
    const redaction = redactionOf();
    expect(redactPath(`/settings/${KEY}`, redaction)).toBe(`/settings/${KEY}`);
    rememberGiven(redaction, { what: 'the name "token"', place: '/token', isDetected: false, value: KEY });
    expect(redactPath(`/settings/${KEY}/a`, redaction)).toBe('/settings/[redacted:4e11b04c1442]/a');
    expect(redactPath('/settings/%5Bredacted%5D', redaction)).toBe('/settings/[redacted]');
  });
});

describe('pathsWithToken', () => {
  it('names the paths under which one may be recorded whose token only the recorder knew', () => {
    expect(pathsWithToken(`/settings/${KEY}/42`)).toEqual([
      `/settings/${KEY}/42`,
      '/settings/[redacted:4e11b04c1442]/42',
    ]);
  });
});

const request = (url: string) => ({ method: 'PATCH', url, headers: [] });
const found = (place: string, isDetected = true) => ({
  what: 'a token',
  place,
  isDetected,
  value: 's3cret',
});

it('tells once of each kind and place, without the value', () => {
  const told: string[] = [];
  const notices = new SecretNotices((text) => told.push(text));
  notices.tell(found('/list/0/ci'), request('/projects/42?token=s3cret'), DEFAULT_REDACTION);
  notices.tell(found('/list/7/ci'), request('/projects/43'), DEFAULT_REDACTION);
  notices.tell(found('/token', false), request('/projects/42'), DEFAULT_REDACTION);
  notices.tell(found('body'), request('/projects/42'), DEFAULT_REDACTION);
  expect(told).toEqual([
    'redacted a token in /list/0/ci of PATCH /projects/42; name the field with --redact ci',
    'redacted a token in body of PATCH /projects/42',
  ]);
});

it('falls silent after a hundred', () => {
  const told: string[] = [];
  const notices = new SecretNotices((text) => told.push(text));
  for (let i = 0; i < 500; i++) notices.tell(found(`/name${i}`), request('/a'), DEFAULT_REDACTION);
  expect(told.length).toBe(101);
  expect(told.at(-1)).toBe('further values that look like secrets are redacted without a word');
});
