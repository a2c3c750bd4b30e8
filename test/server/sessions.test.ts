import { afterEach, describe, expect, it, vi } from 'vitest';
import { SESSIONS_AT_MOST, Sessions, sessionNameOf } from '../../src/server/sessions.ts';
import type { Session } from '../../src/upstreams/session.ts';
import { refusal } from '../support/errors.ts';

afterEach(() => {
  vi.useRealTimers();
});

/** What the sessions say of their beginnings and ends: `+a`, `-a`. */
function begin(idle = 0) {
  const said: string[] = [];
  const ids = new Set<number>();
  const sessions = new Sessions(idle, {
    start({ id, name }: Session) {
      expect(ids.has(id)).toBe(false);
      ids.add(id);
      said.push(`+${name}`);
    },
    end: ({ name }) => said.push(`-${name}`),
  });
  return {
    sessions,
    said,
    use: (name: string, now?: number) => sessions.leave(sessions.enter(name, now), now),
  };
}

describe('a session', () => {
  it('begins with its first request; the default one is always there', () => {
    const { sessions, said } = begin();
    expect(said).toEqual(['+']);
    const one = sessions.enter('a');
    expect(sessions.enter('a')).toBe(one);
    expect(one).toMatchObject({ name: 'a', requests: 2, inFlight: 2 });
    sessions.leave(one);
    expect(one).toMatchObject({ requests: 2, inFlight: 1 });
    expect(sessions.list().map(({ name }) => name)).toEqual(['', 'a']);
    expect(said).toEqual(['+', '+a']);
  });

  it('is another one when it begins again', () => {
    const { sessions, said } = begin();
    const first = sessions.enter('a');
    sessions.leave(first);
    expect(sessions.end('a')).toBe(true);
    expect(sessions.end('a')).toBe(false);
    expect(sessions.enter('a').id).not.toBe(first.id);
    const before = sessions.get('')?.id;
    expect(sessions.end('')).toBe(true);
    expect(sessions.get('')?.id).not.toBe(before);
    expect(said).toEqual(['+', '+a', '-a', '+a', '+', '-']);
  });

  it('is kept until its last request is over, though it has ended', () => {
    const { sessions, said } = begin();
    const old = sessions.enter('a');
    sessions.endAll();
    expect(said).toEqual(['+', '+a', '+', '-']);
    const other = sessions.enter('a');
    sessions.leave(old);
    sessions.leave(other);
    expect(said).toEqual(['+', '+a', '+', '-', '+a', '-a']);
    expect(sessions.get('a')).toBe(other);
  });
});

describe('too many', () => {
  it('end the longest unused one', () => {
    const { sessions, said, use } = begin();
    for (let i = 0; i < SESSIONS_AT_MOST; i++) use(`s${i}`, 1000 + i);
    use('s0', 5000);
    use('one more', 5000);
    expect(said.filter((text) => text.startsWith('-'))).toEqual(['-s1']);
    expect(sessions.list()).toHaveLength(SESSIONS_AT_MOST + 1);
  });

  it('are refused where all are busy, but for the default one', () => {
    const { sessions, said } = begin();
    const all = Array.from({ length: SESSIONS_AT_MOST }, (_, i) => sessions.enter(`s${i}`));
    expect(refusal('overloaded', () => sessions.enter('x'))).toContain('1000 sessions');
    sessions.enter('s1');
    sessions.enter('');
    sessions.leave(all[7] as (typeof all)[0]);
    sessions.enter('x');
    expect(said.at(-2)).toBe('-s7');
  });
});

describe('idling', () => {
  it('ends a session that nobody has used for so long, never one that is in use, nor the default one', () => {
    vi.useFakeTimers({ now: 0 });
    const { sessions, said, use } = begin(100);
    use('');
    use('a');
    const busy = sessions.enter('busy');
    vi.advanceTimersByTime(60);
    use('b');
    vi.advanceTimersByTime(39);
    expect(said).toEqual(['+', '+a', '+busy', '+b']);
    vi.advanceTimersByTime(1);
    expect(said.slice(4)).toEqual(['-a']);
    vi.advanceTimersByTime(60);
    expect(said.slice(4)).toEqual(['-a', '-b']);
    vi.advanceTimersByTime(1000);
    sessions.leave(busy);
    vi.advanceTimersByTime(99);
    expect(said.slice(4)).toEqual(['-a', '-b']);
    vi.advanceTimersByTime(101);
    expect(said.slice(4)).toEqual(['-a', '-b', '-busy']);
    expect(sessions.list()).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
    use('c');
    vi.advanceTimersByTime(100);
    expect(said.at(-1)).toBe('-c');
  });

  it('may go on for ever, and nothing is waited for once all is over', () => {
    vi.useFakeTimers();
    begin(0).use('a');
    expect(vi.getTimerCount()).toBe(0);
    const { sessions, use } = begin(100);
    use('a');
    sessions.close();
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('the header', () => {
  it('names a session, or the default one where it is not there', () => {
    expect(sessionNameOf(['Host', 'h', 'Patchgate-Findings', 'x'])).toBe('');
    for (const name of ['a', '...', 'tests/x.py::test[1 > 2]', '~'.repeat(100)])
      expect(sessionNameOf(['Host', 'h', 'patchgate-SESSION', name])).toBe(name);
  });

  it.each(['', '.', '..', 'ü', '\t', 'a\u0000', '\x7f', 'a'.repeat(101)])('refuses %j', (name) => {
    const text = refusal('malformed-request', () => sessionNameOf(['Patchgate-Session', name]));
    expect(text).toContain('Patchgate-Session is not a name (send it once, with 1 to 100 printable');
  });

  it('refuses more than one, of the same name too', () => {
    const raw = ['Patchgate-Session', 'a', 'patchgate-session', 'a'];
    expect(refusal('malformed-request', () => sessionNameOf(raw))).toContain('more than once');
  });
});
