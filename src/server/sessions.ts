import { LRUCache } from 'lru-cache';
import { PatchgateError } from '../errors.ts';
import { header, headerValues, type RawHeaders } from '../http/http.ts';
import { isSessionName, SESSION_NAMES } from '../model/session-name.ts';
import { SESSION_HEADER, type Session } from '../upstreams/upstream.ts';

/** The sessions of a run, begun by their first request. Past a thousand, the one whose last request is the longest ago ends. */
export class Sessions {
  /** Without the default one. */
  readonly #named = new LRUCache<string, Session>({ max: 1000, memoMethod: (name) => this.#start(name) });
  #count = 0;
  #default = this.#start('');

  /** The session of a request, begun if there is none of that name. */
  enter(name: string): Session {
    return name === '' ? this.#default : this.#named.memo(name);
  }

  /** The same, if it has begun and not ended. */
  find(name: string): Session | undefined {
    return name === '' ? this.#default : this.#named.peek(name);
  }

  /** The next request of that name begins another session. @param name absent: all end */
  end(name?: string): void {
    if (name) this.#named.delete(name);
    else this.#default = this.#start('');
    if (name === undefined) this.#named.clear();
  }

  #start(name: string): Session {
    return { id: ++this.#count, name };
  }
}

const HEADER = SESSION_HEADER.toLowerCase();

/** The session that a request names; `""`: none. @throws PatchgateError `malformed-request` */
export function sessionNameOf(headers: RawHeaders): string {
  const name = header(headers, HEADER);
  if (name === undefined) return '';
  if (headerValues(headers, HEADER).length === 1 && isSessionName(name)) return name;
  throw new PatchgateError('malformed-request', `the header ${SESSION_HEADER} names no session`, {
    hint: `send it once, with ${SESSION_NAMES}`,
  });
}
