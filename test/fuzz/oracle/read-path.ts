/**
 * What servers make of a request target, each as that server does it, and none with the help of the gate's code: the
 * kind of record that it names, if any.
 */
import express from 'express';

export type Kind = 'project' | 'feature' | 'draft';

type PathReader = (target: string) => Kind | undefined;

/** A path without query, in the form that the server routes by. */
function pathOf(target: string): string {
  const rest = target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#\\]*/i, '').replace(/\?.*$/s, '');
  return rest === '' ? '/' : rest;
}

/** Octets as a string of one character each, as Node gives raw ones too. */
const decode = (path: string) =>
  path.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
const asText = (octets: string) => Buffer.from(octets, 'latin1').toString('utf8');
const mergeSlashes = (path: string) => path.replace(/\/+/g, '/');
const slashes = (path: string) => path.replaceAll('\\', '/');
const withoutParameters = (path: string) => path.replace(/;[^/]*/g, '');
const cutAtNul = (path: string) => path.replace(/\0.*$/s, '');

function resolveDots(path: string): string {
  const kept: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..') {
      if (kept.length > 1) kept.pop();
    } else if (segment !== '.') kept.push(segment);
  }
  return kept.join('/');
}

/** As Windows reads names: without dots and spaces at their ends. */
const trimSegments = (path: string) => path.replace(/[. ]+(?=\/|$)/g, '');
const decodeU = (path: string) =>
  path.replace(/%u([0-9a-f]{4})/gi, (_, hex: string) =>
    Buffer.from(String.fromCharCode(Number.parseInt(hex, 16))).toString('latin1'),
  );
const fold = (path: string) =>
  asText(path)
    .replace(/\p{Cf}/gu, '')
    .normalize('NFKC')
    .toUpperCase()
    .toLowerCase();

/** As the URL parser of browsers and Node reads it. */
function asUrl(path: string): string {
  const url = `http://gate.test${path.startsWith('/') ? '' : '/'}${path}`;
  return URL.canParse(url) ? new URL(url).pathname : path;
}

/** The ways to a path that is compared with those of records, letter by letter or in any case. */
const STEPS: Readonly<Record<string, { anyCase?: true; steps: readonly ((path: string) => string)[] }>> = {
  literal: { steps: [] },
  'a URL parser': { steps: [asUrl] },
  'a case-insensitive router': { anyCase: true, steps: [decode] },
  nginx: { steps: [decode, mergeSlashes, resolveDots] },
  'nginx in front of a decoding server': { steps: [decode, mergeSlashes, resolveDots, decode] },
  Tomcat: { steps: [withoutParameters, decode, mergeSlashes, resolveDots] },
  'Tomcat behind a decoding proxy': { steps: [decode, withoutParameters, mergeSlashes, resolveDots] },
  'a server that drops all behind ;': { steps: [(path) => path.replace(/;.*$/s, ''), decode] },
  IIS: {
    anyCase: true,
    steps: [decodeU, decode, slashes, mergeSlashes, resolveDots, trimSegments, mergeSlashes],
  },
  'IIS behind a decoding proxy': {
    anyCase: true,
    steps: [decode, decodeU, decode, slashes, mergeSlashes, resolveDots, trimSegments],
  },
  'a server in C': { steps: [decode, cutAtNul] },
  'a server that folds Unicode': { anyCase: true, steps: [decode, fold, mergeSlashes, resolveDots] },
  'a server that folds Unicode first': {
    anyCase: true,
    steps: [decodeU, decode, fold, slashes, decode, mergeSlashes, resolveDots],
  },
  'a trimming framework': { steps: [decode, (path) => path.trim().replace(/\s*\/\s*/g, '/')] },
  'Rails, with a format': { steps: [decode, (path) => path.replace(/([^/])\.\w+$/, '$1')] },
  'a server that decodes the query mark': { steps: [decode, (path) => path.replace(/[?#].*$/s, '')] },
};

export function pathReaders(): Readonly<Record<string, PathReader>> {
  const exact = /(?:^|\/)accounts\/[^/]*\/(project|feature|draft)s\/[^/]+\/?$/s;
  const anyCase = new RegExp(exact, 'is');
  const readers: Record<string, PathReader> = { Express: readerOfExpress() };
  for (const [name, reader] of Object.entries(STEPS)) {
    readers[name] = (target) => {
      const path = reader.steps.reduce((now, step) => step(now), pathOf(target));
      return (reader.anyCase ? anyCase : exact).exec(path)?.[1]?.toLowerCase() as Kind | undefined;
    };
  }
  return readers;
}

function readerOfExpress(): PathReader {
  const router = express.Router({ caseSensitive: false, strict: false });
  for (const kind of ['project', 'feature', 'draft'] as const) {
    router.all(`{/*base}/accounts/:account/${kind}s/:id`, (_, res) => {
      res.locals.kind = kind;
    });
  }
  return (target) => {
    const locals: { kind?: Kind } = {};
    // Nothing here is asynchronous; what it cannot decode is an error, and no route.
    router({ url: target, method: 'PATCH' } as never, { locals } as never, () => undefined);
    return locals.kind;
  };
}

/** Headers that frameworks behind IIS take the path from. */
export const PATH_HEADERS = ['x-original-url', 'x-rewrite-url'];
