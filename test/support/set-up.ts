/** Runs for each test file, also where modules are shared among them. */
import fc from 'fast-check';
import { cleanUpAfterTests } from './clean-up.ts';
import { SEED } from './rounds.ts';

// What a test's outcome could hang on, it sets itself: on a machine of CI it must see the same as on any other.
const SETTINGS =
  /^(?:CI|CI_.+|GITHUB_.+|PATCHGATE_.+|FORCE_COLOR|NO_COLOR|LANG|LANGUAGE|LC_.+|DEBUG|NODE_DEBUG|npm_config_loglevel|GIT_(?!SSL_|CONFIG).+)$/;
for (const name of Object.keys(process.env)) {
  if (SETTINGS.test(name)) delete process.env[name];
}
// npm's registry may be behind a proxy; no server of a test is.
for (const name of ['no_proxy', 'NO_PROXY']) process.env[name] = '127.0.0.1,localhost,::1';

// A property must not fail by chance on a change that has nothing to do with it.
fc.configureGlobal({ seed: SEED });

cleanUpAfterTests();
