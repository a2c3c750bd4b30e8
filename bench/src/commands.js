import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));

/** The product, bundled. */
export const cli = here('../../dist/cli.js');

/** What a test suite imports. */
export const library = here('../../dist/testing.js');

// Each is given the place (place.js), then the port where it is a server, and gives Node's arguments.
export const bareProxy = (place) => (port) => [here('bare-proxy.js'), String(port), String(place.targetPort)];
export const bareAnswer = () => (port) => [here('bare-answer.js'), String(port)];
export const bareEcho = () => (port) => [here('bare-echo.js'), String(port)];
export const bareNode = () => ['-e', '0'];

export const proxy =
  (...options) =>
  (place) =>
  (port) => [cli, 'proxy', `http://127.0.0.1:${place.targetPort}`, '--port', String(port), ...options];

export const recorder =
  (name, ...options) =>
  (place) =>
    proxy('--record', 'all', '--recordings', join(place.folder, name), ...options)(place);

export const replay =
  (...options) =>
  (place) =>
  (port) => [cli, 'replay', '--recordings', place.recordings, '--port', String(port), ...options];

export const checkBody = (place) => [cli, 'check', '--operation', 'updateProject', place.body];
