import { describe, expect, it } from 'vitest';
import { brief } from '../support/gate.ts';
import { found, read } from '../support/read-body.ts';

const typed = (value: string) => found('{}', { headers: ['Content-Type', value] });
const WRONG_TYPE = ['request.content-type error'];

describe('the media type', () => {
  it.each([
    'application/json',
    'APPLICATION/JSON',
    ' application/json ',
    'application/json;charset=utf-8',
    'application/json; charset=UTF-8',
    'application/json ; charset = "utf-8"',
    'application/json; charset=utf8',
    'application/json;',
    'application/json; v=1; charset=utf-8',
    'application/merge-patch+json',
    'application/vnd.shop.v2+json; charset=utf-8',
  ])('%s is JSON', (value) => {
    expect(typed(value)).toEqual([]);
  });

  it.each([
    'text/plain',
    'text/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    'application/json-seq',
    'application/xjson',
    'application/+json/x',
    'json',
    '*/*',
    'application/json, text/plain',
    'application/json text/plain',
    'application/json charset=utf-8',
    '+json',
    'a b+json',
  ])('%s is not', (value) => {
    expect(typed(value)).toEqual(WRONG_TYPE);
  });

  it.each(['utf-16', 'UTF-16LE', 'iso-8859-1', 'utf-8x', '""', '', '"utf-16"x', "'utf-8'", 'utf-8, utf-16'])(
    'in the charset %s is not',
    (charset) => {
      expect(typed(`application/json; charset=${charset}`)).toEqual(WRONG_TYPE);
      expect(typed(`application/json; v=1; CHARSET = ${charset}`)).toEqual(WRONG_TYPE);
      expect(typed(`application/json; charset=utf-8; charset=${charset}`)).toEqual(WRONG_TYPE);
    },
  );

  it.each([
    'application/json; version=1',
    'application/vnd.x+json; version=1',
    'application/json;odata.metadata=minimal;IEEE754Compatible=true',
    'application/json; profile="https://x/y; z=\\"1\\""; charset=UTF-8',
    'application/json;;charset="UTF8";',
    'application/json; x',
    'application/json; x="',
  ])('%s is JSON, with parameters', (value) => {
    expect(typed(value)).toEqual([]);
  });

  it.each([
    "charset*=utf-8''utf-7",
    'charset*0=utf-7',
    'charset*0*=utf-8',
    'xcharset=utf-7',
    'x-charset=utf-8',
    'x="charset=utf-16"',
    'x="char\\set=utf-16"',
    'profile="x;charset=latin1"',
    'charset=utf-8; x="charset=utf-8"',
    'charset=utf-8; x="; charset=utf-16',
    'x"; charset=utf-16; y"',
    'charset=utf-8; charset=utf-8',
    'charset',
    'charset : utf-16',
    'charset="utf-8',
    'charset=utf-8 charset=utf-16',
    'x=application/x-www-form-urlencoded',
    'x="multipart/form-data"',
  ])('with %s it is not plainly JSON in UTF-8', (parameters) => {
    expect(typed(`application/json; ${parameters}`)).toEqual(WRONG_TYPE);
    expect(typed(`application/json; v=1;${parameters.toUpperCase()}`)).toEqual(WRONG_TYPE);
  });

  it.each(['multipart/x+json', 'application/x-www-form-urlencoded+json', ';', '; charset=utf-8'])(
    '%s is not plainly JSON',
    (value) => {
      expect(typed(value)).toEqual(WRONG_TYPE);
    },
  );

  it('that is missing warns, and the body is judged', () => {
    for (const headers of [[], ['Content-Type', ''], ['Content-Type', '  '], ['X', 'text/plain']]) {
      const { json, findings } = read('{"a":1}', { headers });
      expect(brief(findings)).toEqual(['request.content-type warn']);
      expect(json).toEqual({ a: 1 });
    }
  });

  it('that is wrong keeps no other finding back', () => {
    expect(found('{', { headers: ['Content-Type', 'text/plain'] })).toEqual([
      'request.content-type error',
      'request.json error',
    ]);
    expect(read('{"a":1}', { headers: ['Content-Type', 'text/plain'] }).json).toEqual({ a: 1 });
  });
});
