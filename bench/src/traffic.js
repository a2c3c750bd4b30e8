/**
 * What is sent and what must come back: PATCHes of about 700 bytes. A body is a full, valid project and the answer is the
 * same project, so that no finding and no deletion is ever due.
 */
const project = {
  name: 'Checkout 0000000',
  languages: ['NODEJS', 'PYTHON', 'JAVASCRIPT'],
  environments: [1, 2, 3, 4, 5, 6, 7].map((id) => ({
    id,
    name: `Environment number ${id}, for the checkout`,
    isEnabled: id === 1,
  })),
};

/** The body number 0, which is as long as every other. */
export const body = Buffer.from(JSON.stringify(project));

const HEAD = [
  'PATCH /api/v2/accounts/current/projects/000000 HTTP/1.1',
  'Host: localhost',
  'Content-Type: application/json',
  'Accept: application/json',
  'Authorization: Bearer abcdefg',
  'User-Agent: patchgate-bench',
  `Content-Length: ${body.length}\r\n\r\n`,
].join('\r\n');
const template = Buffer.concat([Buffer.from(HEAD), body]);
const PROJECT_AT = template.indexOf('000000');
const NUMBER_AT = template.indexOf('0000000', HEAD.length);

/** A file of a recording should not hold more. */
const MOST_ON_A_PATH = 5000;

/** The project that body number `index` goes to: all in turn; or with one at a time, another after 5,000. */
export function projectOf(index, paths) {
  return 100_000 + (paths === 1 ? Math.floor(index / MOST_ON_A_PATH) : index % paths);
}

export function pathOf(project) {
  return `/api/v2/accounts/current/projects/${project}`;
}

/** Request number `index`, whose body no other has: `{ request, status, answer }`. */
function patch(index, project) {
  const request = Buffer.from(template);
  request.latin1Write(String(project), PROJECT_AT);
  request.latin1Write(String(index).padStart(7, '0'), NUMBER_AT);
  return { request, status: 200, answer: request.subarray(HEAD.length) };
}

/** The body that request number `index` has. */
export function bodyOf(index) {
  return patch(index, 0).answer;
}

// Each of these gives a function that makes request number 0, 1, 2 and so on.

/** Bodies that are all different, on one project or on several in turn. */
export const allDifferent =
  (paths = 1) =>
  (index) =>
    patch(index, projectOf(index, paths));

/** What is in a recording, again and again, each time all of it before anything comes twice. No loader has this order. */
export const recorded =
  ({ exchanges, paths }) =>
  (index) => {
    const scattered = (index * 7919) % exchanges;
    return patch(scattered, projectOf(scattered, paths));
  };

/** The same requests, to a server that always gives one answer. */
export const answeredAlike = (traffic) => (index) => ({ ...traffic(index), answer: body });

/** Bodies that a recording lacks, on a project that it has. */
export const unknownBody = (index) => ({
  ...patch(1_000_000 + index, projectOf(0, 1)),
  status: 501,
  answer: undefined,
});

/** Projects that a recording lacks. */
export const unknownProject = (index) => ({
  ...patch(index, 900_000 + index),
  status: 501,
  answer: undefined,
});
