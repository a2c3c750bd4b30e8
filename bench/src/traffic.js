/**
 * What the scenarios send and what they expect back: PATCHes and answers of about 600 bytes each. A body is a full, valid
 * project; the answer is the same project as a service would give it back, so that no finding and no deletion is ever due.
 */
const project = {
  name: 'Checkout',
  languages: ['NODEJS', 'PYTHON', 'JAVASCRIPT'],
  environments: [1, 2, 3, 4, 5, 6, 7].map((id) => ({
    id,
    name: `Environment number ${id}, for the checkout`,
    isEnabled: id === 1,
  })),
};

export const requestBody = Buffer.from(JSON.stringify(project));
export const answerBody = Buffer.from(JSON.stringify({ ...project, modifiedOn: '2026-11-20T12:00:00Z' }));

/** `{ path, body, answer }` of exchange number `index`. What grows is echoed, so that no answer passes for another. */
const SHAPES = {
  /** One body and one answer for all projects. */
  constant: (index) => ({ path: pathOf(index), body: requestBody, answer: answerBody }),
  /** Each exchange on a path of its own. */
  paths: (index) => ({ path: pathOf(index), ...echoed(index) }),
  /** All on one path, each with another body. */
  one: (index) => ({ path: pathOf(0), ...echoed(index) }),
  /** The same request again and again. */
  same: () => ({ path: pathOf(0), ...echoed(0) }),
};

/** Exchange number `index` of a shape: `{ path, body, answer }`. */
export function exchangeOf(shape, index) {
  return SHAPES[shape](index);
}

/** The bytes of its request. */
export function requestBytes(port, { path, body }) {
  const head = [
    `PATCH ${path} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    'Content-Type: application/json',
    'Accept: application/json',
    'Authorization: Bearer abcdefg',
    'User-Agent: patchgate-bench',
    `Content-Length: ${body.length}`,
  ];
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body]);
}

/** The first project is 42, as in the examples. */
function pathOf(index) {
  return `/api/v2/accounts/current/projects/${42 + index}`;
}

const [beforeNumber, afterNumber] = JSON.stringify({ ...project, name: 'Checkout #' }).split('#');

function echoed(index) {
  const body = Buffer.from(`${beforeNumber}${String(index).padStart(6, '0')}${afterNumber}`);
  return { body, answer: body };
}
