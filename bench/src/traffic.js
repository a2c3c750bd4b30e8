/**
 * The one PATCH that every scenario sends and the one answer that it expects: about 600 bytes each. The body is a full,
 * valid project; the answer is the same project as a service would give it back, so that no finding and no deletion is
 * ever due.
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

/** Path of a project: the first one is 42, as in the examples. */
export function pathOf(index) {
  return `/api/v2/accounts/current/projects/${42 + index}`;
}

/** The request's bytes for project number `index`. */
export function requestBytes(port, index) {
  const head = [
    `PATCH ${pathOf(index)} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    'Content-Type: application/json',
    'Accept: application/json',
    'Authorization: Bearer abcdefg',
    'User-Agent: patchgate-bench',
    `Content-Length: ${requestBody.length}`,
  ];
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), requestBody]);
}
