import { type Effect, losesEnvironment } from '../model/effect.ts';
import { effectText, environment } from '../reporters/effect-text.ts';
import { amount, sanitize } from '../reporters/wording.ts';
import type { ShownExchange } from '../server/show-exchange.ts';

type Kind = 'blocked' | 'missed' | 'failed' | 'flagged' | 'passed' | 'unjudged';

/** Sign, word and colour; each of them says it alone. */
export const KINDS: Readonly<Record<Kind, readonly [sign: string, word: string, tone: string]>> = {
  blocked: ['✕', 'Blocked', 'bad'],
  missed: ['?', 'Missed', 'bad'],
  failed: ['!', 'Failed', 'bad'],
  flagged: ['!', 'Flagged', 'warn'],
  passed: ['✓', 'Passed', 'good'],
  unjudged: ['–', 'Unjudged', 'quiet'],
};

/** `flagged`: it passed with errors, since validation only warns. */
export function kindOf({ verdict, response, answeredBy, failure }: ShownExchange): Kind {
  if (response?.status === 501 && answeredBy === 'gate') return 'missed';
  if (verdict?.outcome === 'block') return 'blocked';
  if (failure !== undefined) return 'failed';
  if (!verdict) return 'unjudged';
  return verdict.findings.some(({ severity }) => severity === 'error') ? 'flagged' : 'passed';
}

/** It passed, and nobody knew what it would delete. */
export function isUnguarded(exchange: ShownExchange): boolean {
  const { verdict, unguarded } = exchange;
  const unknown = verdict?.findings.find(({ rule }) => rule === 'project.state-unknown');
  return unguarded ?? (verdict?.outcome === 'pass' && unknown?.severity === 'warn');
}

/** Its marks, each with its colour. */
export function marksOf(exchange: ShownExchange): Map<string, string> {
  const { verdict, request, answeredBy, fault } = exchange;
  const isLost = verdict?.outcome === 'pass' && lostBy(verdict.effects) !== '';
  const isApproved = 'patchgate-approve' in request.headers;
  return new Map([
    ...(isUnguarded(exchange) ? [['unguarded', 'warn'] as const] : []),
    ...(isLost ? [[isApproved ? 'deletion approved' : 'deletion', 'bad'] as const] : []),
    ...(answeredBy === 'recording' ? [['replayed', 'info'] as const] : []),
    ...(fault ? [['fault', 'warn'] as const] : []),
  ]);
}

/** `environment 3 "Development", environment 4 "Test"` */
export function lostBy(effects: readonly Effect[] = []): string {
  return effects.filter(losesEnvironment).map(environment).join(', ');
}

/** What happened, in a sentence or two. */
export function sentenceOf(exchange: ShownExchange): string {
  const { verdict, response, answeredBy, fault } = exchange;
  const answer = response
    ? `The ${answeredBy} answered ${response.status}.`
    : 'The client went away before there was an answer.';
  const isRefused = ['blocked', 'missed'].includes(kindOf(exchange));
  const sentences = [happenedTo(exchange), isRefused ? '' : answer, fault ? `Injected: ${fault}.` : ''];
  const isSent = verdict?.outcome !== 'block';
  return sanitize([...sentences, isSent ? '' : 'Nothing was sent.'].filter(Boolean).join(' '));
}

function happenedTo(exchange: ShownExchange): string {
  const { verdict, response, request, failure } = exchange;
  const { findings = [], effects = [], omitted = 0 } = verdict ?? {};
  const errors = amount(findings.filter(({ severity }) => severity === 'error').length + omitted, 'error');
  const lost = lostBy(effects);
  switch (kindOf(exchange)) {
    case 'missed':
      return 'Missed: the recording has no answer to this request.';
    case 'blocked':
      return lost !== '' && verdict?.problem === 'destructive-change'
        ? `Blocked: this ${request.method} would delete ${lost} for good.`
        : `Blocked with ${verdict?.status ?? response?.status}: ${errors}.`;
    case 'failed':
      return `Failed: ${failure}.`;
    case 'flagged':
      return `Passed with ${errors} that enforce would block.`;
    case 'unjudged':
      return 'Not judged: it is no request of the contract.';
  }
  if (isUnguarded(exchange)) return 'Passed unguarded: nobody can say what it deletes.';
  if (marksOf(exchange).has('deletion approved')) return `Passed: it deletes ${lost} for good, as approved.`;
  if (effects.length > 0) return `Passed: ${effects.map((effect) => effectText(effect)[2]).join('; ')}.`;
  return findings.length > 0 ? `Passed with ${amount(findings.length, 'warning')}.` : 'Passed.';
}

/** `14:03:22`, by the clock of this machine. */
export function timeOf(iso: string): string {
  return new Date(iso).toTimeString().slice(0, 8);
}

/** `3.1 ms`, `120 ms`, `1.2 s` */
export function tookText(ms: number): string {
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

/** A path in two parts: the first one may be cut, the second one is its end, which shows. */
export function pathParts(url: string): [start: string, end: string] {
  const shown = sanitize(url);
  const slash = shown.replace(/\?.*/s, '').split('/').slice(0, -2).join('/').length;
  const at = Math.max(slash, shown.length - 30);
  return [shown.slice(0, at), shown.slice(at)];
}
