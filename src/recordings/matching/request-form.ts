import type { JsonValue } from '../../json/json.ts';
import type { StoredBody } from '../../model/exchange.ts';
import { bodyBytes, jsonOf } from '../body.ts';
import { hashInName, hashOf } from '../body-file.ts';

export interface FormParts {
  method: string;
  path: string;
  query: string;
  /** Those that the rules name, redacted, in the order of the names; one that the request lacks is not there. */
  headers: readonly FormHeader[];
  body: StoredBody | undefined;
}

export type FormHeader = readonly [name: string, value: string];

/** What `jsonOf` gives for a body, where somebody knows already. */
export interface KnownJson {
  value: JsonValue | undefined;
}

/** What is compared of a request: the request itself, changed as the rules say. `formOf` makes it. */
export class RequestForm {
  readonly parts: Readonly<FormParts>;
  #json: KnownJson | undefined;

  constructor(parts: FormParts, json?: KnownJson) {
    this.parts = parts;
    this.#json = json;
  }

  /** What `jsonOf` gives for the body. */
  get json(): JsonValue | undefined {
    const { body } = this.parts;
    this.#json ??= { value: body && jsonOf(body) };
    return this.#json.value;
  }
}

/** Of a body's bytes, wherever they are. One that was not kept is like no other. */
export function bytesName(body: StoredBody): string {
  if ('omitted' in body) return 'omitted';
  return `bytes ${'file' in body ? hashInName(body.file) : hashOf(bodyBytes(body))}`;
}
