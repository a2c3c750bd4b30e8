import { hash, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { byHeaderName, looseHeaderName, type RawHeaders } from '../http/http.ts';

/** Of this run alone: what is kept says nothing of the credentials. */
const KEY = randomBytes(16).toString('hex');

/**
 * Who asks, as far as the service can tell: a keyed digest of the headers that may decide what it shows (credentials, tenants,
 * filters). Those that differ from request to request of one client are left out.
 */
export function clientOf(headers: RawHeaders): string {
  const kept: string[] = [];
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const name = nameOf(headers[i] as string);
    if (name !== '') kept.push(`${name}\n${headers[i + 1]}`);
  }
  const text = kept.sort().join('\n');
  let client = known.get(text);
  if (client === undefined) {
    client = hash('sha1', `${KEY}\n${text}`, 'base64');
    known.set(text, client);
  }
  return client;
}

/** The digests of those who asked lately. */
const known = new LRUCache<string, string>({ max: 100 });

/** As servers may read it; `""`: it does not count. */
const nameOf = byHeaderName((header) => {
  const name = looseHeaderName(header);
  return OF_REQUEST.test(name) ? '' : name;
});

/** Of one message, one connection, one trace, or what browsers and libraries say of themselves. */
const OF_REQUEST =
  /^(?:accept|content-|if-|sec-|patchgate-|x-forwarded-(?:for|host|path|port|prefix|proto|scheme|server|ssl|uri)$|x-b3-|x-datadog-|x-newrelic-|x-instana-|amz-sdk-|(?:.*-)?(?:request|correlation|trace|span|transaction|invocation|uber-trace)-?id$|x-cloud-trace-context$|x-request-start$|cf-ray$|.*-(?:retry|attempt)-count$|.*trace(?:parent|state)$|(?:.*-)?idempotency-key$|(?:age|b3|baggage|cache-control|connection|cookie2|date|digest|dnt|expect|forwarded|host|keep-alive|newrelic|origin|pragma|priority|proxy-connection|range|referer|repr-digest|sentry-trace|te|trailer|transfer-encoding|upgrade|upgrade-insecure-requests|user-agent|via|x-http-method|x-http-method-override|x-method-override|x-real-ip)$)/;
