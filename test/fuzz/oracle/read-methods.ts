import type { Received } from '../../support/target.ts';

/** Headers that override a method, with `_` for all that is no letter as CGI and PHP give them. */
const HEADERS = new Set(['x_http_method_override', 'x_http_method', 'x_method_override']);

/** The methods that frameworks could route a request by, in capitals: its own, and what overrides it. */
export function readMethods({ method, url, rawHeaders, body }: Received): Set<string> {
  const methods = new Set([method.toUpperCase()]);
  const types: string[] = [];
  let isTyped = false;
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] as string).toLowerCase().replace(/[^a-z0-9]/g, '_');
    const value = rawHeaders[i + 1] as string;
    // method-override takes the first of several, Symfony the whole value, others the last.
    if (HEADERS.has(name)) for (const one of value.split(',')) methods.add(one.trim().toUpperCase());
    if (name !== 'content_type') continue;
    if (value.trim() !== '') types.push(value.toLowerCase());
    // What knows the header by its own name only.
    if (/^content-type$/i.test(rawHeaders[i] as string) && value.trim() !== '') isTyped = true;
  }
  for (const mark of ['?', '%3f', '%3F']) {
    const at = url.indexOf(mark);
    if (at >= 0) fromForm(url.slice(at + mark.length), methods);
  }
  const isForm = types.some((type) => type.includes('x-www-form-urlencoded'));
  // Rack takes what is posted without a type for a form.
  if (isForm || (!isTyped && method === 'POST')) fromForm(body.toString('latin1'), methods);
  return methods;
}

const NAMES = new Set(['_method', 'method', 'x-tunneled-method']);

function fromForm(form: string, methods: Set<string>): void {
  for (const [name, value] of new URLSearchParams(form)) {
    // PHP: leading spaces go, `.` and ` ` are `_`; `_method[]` is a list.
    const plain = name.trimStart().replace(/[. ]/g, '_').replace(/\[.*$/s, '').toLowerCase();
    if (NAMES.has(plain)) methods.add(value.trim().toUpperCase());
  }
}
