import type { Exchange, RecordedResponse, StoredHeaders } from '../model/exchange.ts';

/** Names of headers that are of one request or one moment, whatever was answered: ids, traces, dates and times, and what caches on the way say of themselves. */
const NOISE =
  /^(?:age|cf-ray|date|expires|last-modified|server-timing|traceparent|tracestate|b3|x-runtime|x-timer|x-cloud-trace-context|x-amz-id-2|x-amz-cf-id|x-vercel-id|fly-request-id|.*(?:request|correlation|transaction|operation|invocation|trace|span)[-_]?id|x-(?:b3|datadog|amzn-trace|newrelic)-.*|.*(?:response|request|process|processing|service)-time(?:-ms)?|.*-latency|(?:x-)?rate-?limit-(?:remaining|reset|used).*|x-cache(?:-hits)?|x-served-by|cf-cache-status|report-to)$/;

/**
 * Whether an exchange that was recorded again is what it was, but for what is another each time: `meta`, headers of its response
 * that are ids, traces, dates or times, and the ETag of a body that has not changed. Bodies stand in both as in a file.
 */
export function sameButNoise(before: Exchange, after: Exchange): boolean {
  return essenceOf(before) === essenceOf(after);
}

function essenceOf({ request, response, failure }: Exchange): string {
  const { method, path, query, headers, body } = request;
  return JSON.stringify([
    [method, path, query, headers, body],
    response && [response.status, withoutNoise(response.headers), response.body, hasTag(response)],
    failure,
  ]);
}

/** An ETag stands for the body, which is compared itself. */
function withoutNoise(headers: StoredHeaders): [string, StoredHeaders[string]][] {
  return Object.entries(headers).filter(([name]) => name !== 'etag' && !NOISE.test(name));
}

/** One without a body, as to a HEAD, says of another one what it is. */
function hasTag({ headers, body }: RecordedResponse): StoredHeaders[string] | boolean {
  const { etag } = headers;
  return body === undefined ? (etag ?? false) : etag !== undefined;
}
