import type { Gate } from '../gate/gate.ts';
import { decisiveEffects } from '../guard/decisive-effects.ts';
import { splitTarget } from '../http/http.ts';
import { isoTime } from '../iso-time.ts';
import { shortened, withShortTexts } from '../model/short-text.ts';
import { redactText, redactUrl } from '../recordings/redact/redact.ts';
import type { Redaction } from '../recordings/redact/redaction.ts';
import type { FinishedExchange } from './exchange.ts';

/** One request in a line, redacted: for the access log and the audit. docs/reference/formats.md names the members. */
export type Entry = ReturnType<EntryOf>;
export type EntryOf = ReturnType<typeof entriesBy>;

const [PATH_LENGTH, TEXT_LENGTH] = [2048, 500];

/** @param forwards what passes may reach the target: not all of it is answered by a recording */
export function entriesBy(gate: Gate, redaction: Redaction, forwards: boolean) {
  const clean = (text: string) => shownText(text, redaction);
  return (x: FinishedExchange) => {
    const { request, match, verdict, effects = [], answeredBy, response, failure } = x;
    const { path, query } = shownTarget(request.url, redaction);
    const record = verdict && (match ? gate.recordOf(match) : gate.recordAt(request.url));
    const isOfRecording = answeredBy === 'recording' || (answeredBy === 'gate' && response?.status === 501);
    return {
      time: isoTime(x.startedAt),
      client: x.client?.address,
      session: x.session?.name ? clean(x.session.name) : undefined,
      method: request.method,
      path,
      query: query || undefined,
      operation: verdict?.operation,
      record: record && { ...record, id: clean(record.id), account: clean(record.account) },
      verdict: verdict?.outcome,
      findings: verdict?.findings.map(({ rule, severity, pointer, message }) => {
        return { rule, severity, ...withShortTexts({ pointer, message }, TEXT_LENGTH) };
      }),
      findingsOmitted: verdict?.omitted || undefined,
      ...(effects.length > 0 && decisiveEffects(effects, redaction)),
      approved: x.isApproved ?? false,
      unguarded: x.unguarded,
      approval: x.approval,
      forwarded: forwards && x.isSent === true && !isOfRecording,
      answeredBy,
      status: response?.status,
      failure: failure === undefined ? undefined : clean(failure),
      fault: x.fault,
    };
  };
}

/** Without scheme and host, in whose place a password may stand. */
export const shownTarget = (url: string, redaction: Redaction) =>
  splitTarget(shortened(redactUrl(url, redaction), PATH_LENGTH));
export const shownText = (text: string, redaction: Redaction) =>
  shortened(redactText(text, redaction), TEXT_LENGTH);
