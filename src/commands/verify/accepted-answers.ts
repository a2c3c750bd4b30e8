import { join } from 'node:path';
import { PatchgateError } from '../../errors.ts';
import type { Exchange, RecordedResponse } from '../../model/exchange.ts';
import { jsonOf } from '../../recordings/body.ts';
import { ExchangeFile } from '../../recordings/store/exchange-file.ts';
import { exchangeText } from '../../recordings/store/file-format.ts';
import { locationOf } from '../../recordings/store/location.ts';
import type { Kept } from './verified-files.ts';

/** Refused for who asks, how often, or by a service in trouble: such an answer says nothing of what was asked for. */
const REFUSALS: ReadonlySet<number> = new Set([401, 403, 407, 408, 421, 425, 429]);

/** Whether an answer may take the place of a recorded one. */
export function isAcceptable(live: RecordedResponse, recorded: RecordedResponse): boolean {
  if (live.body && 'omitted' in live.body) return false;
  const { status } = live;
  return status === recorded.status || (status < 500 && !REFUSALS.has(status));
}

interface OfFile {
  place: { method: string; path: string };
  /** By index in the file, each with what stood there. */
  accepted: Map<number, { before: Exchange; after: Exchange }>;
}

/** Live answers that are to take the places of recorded ones, in a recording that no other process writes to. */
export class AcceptedAnswers {
  readonly #root: string;
  readonly #files = new Map<string, OfFile>();
  /** Answers that were successes in the recording, and are none today, or no JSON any more. */
  #failing = 0;
  #isAnySuccess = false;

  /** @param root the recording's folder */
  constructor(root: string) {
    this.#root = root;
  }

  get files(): number {
    return this.#files.size;
  }

  get answers(): number {
    return [...this.#files.values()].reduce((sum, { accepted }) => sum + accepted.size, 0);
  }

  /** Told of each answer, whether it differs or not. */
  see(live: RecordedResponse, recorded: RecordedResponse): void {
    if (isSuccess(live) && (isJson(live) || !isJson(recorded))) this.#isAnySuccess = true;
    else if (isSuccess(recorded)) this.#failing++;
  }

  /**
   * The times of the exchanges stay: they say which places these have among those of other files.
   *
   * @param alike those whose answers it replaces
   */
  add(alike: readonly Kept[], response: RecordedResponse, durationMs: number): void {
    for (const { index, exchange } of alike) {
      const { method, path } = exchange.request;
      const file = join(this.#root, locationOf(method, path));
      const ofFile = this.#files.get(file) ?? { place: { method, path }, accepted: new Map() };
      this.#files.set(file, ofFile);
      const after = { ...exchange, response, meta: { ...exchange.meta, durationMs } };
      ofFile.accepted.set(index, { before: exchange, after });
    }
  }

  /**
   * Each file is replaced whole or not at all.
   *
   * @throws PatchgateError `bad-usage` where the target answers as another one would; `cannot-write`; `bad-recording` where a file was changed meanwhile
   */
  async write(): Promise<void> {
    // A wrong base path gives 404 or the same page throughout, a login redirects: all that was recorded would be gone.
    if (this.#failing > 1 && !this.#isAnySuccess && this.answers > 0) throw strange(this.#failing);
    for (const [name, { place, accepted }] of this.#files) {
      const file = new ExchangeFile(name, place, true);
      const exchanges = [...(file.readNow() ?? [])];
      for (const [index, { before, after }] of accepted) {
        const there = exchanges[index];
        if (!there || exchangeText(there) !== exchangeText(before)) throw changed(name);
        exchanges[index] = after;
      }
      await file.replace(exchanges);
    }
  }
}

function isSuccess({ status }: RecordedResponse): boolean {
  return status >= 200 && status < 300;
}

function isJson({ body }: RecordedResponse): boolean {
  return body !== undefined && jsonOf(body) !== undefined;
}

function strange(count: number): PatchgateError {
  const message = `all ${count} requests that succeeded when they were recorded fail today, or give no JSON any more; nothing was changed`;
  return new PatchgateError('bad-usage', message, {
    hint: 'check --target with its base path, and --header; if that is how it is today, record it anew',
  });
}

function changed(file: string): PatchgateError {
  return new PatchgateError('bad-recording', `${file} was changed while its requests were sent`, {
    hint: 'run verify again',
  });
}
