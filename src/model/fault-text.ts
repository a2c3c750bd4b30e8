import type { FaultRule, Latency } from './fault.ts';

/** A fault in one line of printable ASCII, as a flag takes it, but for headers and body: `PATCH status=503 retry-after=2 count=2` */
export function faultText(rule: FaultRule): string {
  const { method, path, operation, answer, reset, truncate, trickle, latency } = rule;
  const { rate, count, after } = rule;
  const parts = [
    method,
    path ?? operation,
    answer && `status=${answer.status}`,
    answer?.retryAfter !== undefined && `retry-after=${answer.retryAfter}`,
    reset && 'reset',
    truncate && `truncate=${'percent' in truncate ? `${truncate.percent}%` : truncate.bytes}`,
    trickle !== undefined && `trickle=${trickle}B/s`,
    latency && `latency=${latencyText(latency)}`,
    rate !== undefined && `rate=${rate}`,
    count !== undefined && `count=${count}`,
    after !== undefined && `after=${after}`,
  ];
  return parts.filter((part) => typeof part === 'string').join(' ');
}

/** `100ms`, `50ms..200ms`, `recorded` */
export function latencyText(latency: Latency): string {
  if (latency === 'recorded') return latency;
  const { from, to } = latency;
  return from === to ? `${from}ms` : `${from}ms..${to}ms`;
}
