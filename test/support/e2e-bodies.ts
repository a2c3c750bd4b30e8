/** What the end-to-end tests send. */

export const PROJECT_PATH = '/api/v2/accounts/current/projects/42';

export const GOOD_PROJECT = {
  name: 'Checkout',
  languages: ['NODEJS', 'PYTHON'],
  environments: [
    { id: 1, name: 'Production', isEnabled: true },
    { id: 2, name: 'Staging', isEnabled: false },
    { id: 3, name: 'Development', isEnabled: false },
  ],
};

/** `languages` and `environments` are missing. */
export const BAD_PROJECT = { name: 'Checkout' };

/** A good project, with the same environments, that no serialiser writes like this: whoever reads and writes it again changes its bytes. */
export const ODD_PROJECT_TEXT =
  '{ "name":"Caf\\u00e9 \u00e9",\t"languages" : ["GO"],\r\n"environments":[{"isEnabled":true,"id":1,"name":"P\\/1"},' +
  '{"id":2,"name":"Staging","isEnabled":false}, {"id":3,"name":"Development","isEnabled":false}]}\n';

/** Headers that ask for a WebSocket. */
export const HANDSHAKE = [
  ['Connection', 'Upgrade'],
  ['Upgrade', 'websocket'],
  ['Sec-WebSocket-Version', '13'],
  ['Sec-WebSocket-Key', 'dGhlIHNhbXBsZSBub25jZQ=='],
] as const;

export const JSON_TYPE = ['Content-Type', 'application/json'] as const;

const PATCH = {
  method: 'PATCH',
  path: PROJECT_PATH,
  headers: [JSON_TYPE],
  body: JSON.stringify(GOOD_PROJECT),
};

/** One of each way that a request goes: without a body, streamed, and judged. For `it.each`. */
export const REQUESTS = [
  ['GET', { path: '/api/v2/anything' }],
  ['POST', { method: 'POST', path: '/api/v2/anything', body: 'x'.repeat(100) }],
  ['judged PATCH', PATCH],
] as const;
