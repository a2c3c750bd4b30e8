import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { HELP, readOptions } from './options.js';
import { startPostgres } from './postgres.js';
import { writeRecording } from './recording.js';
import { bareEcho } from './scenarios.js';
import { cores, leaveServerCore, start, stop } from './server.js';
import { summarise, table } from './table.js';
import { body } from './traffic.js';

const DIST = fileURLToPath(new URL('../../dist', import.meta.url));

try {
  const options = readOptions(process.argv.slice(2));
  if (options.help) process.stdout.write(HELP);
  else process.exitCode = await bench(options);
} catch (error) {
  complain(error);
  process.exitCode = 2;
}

/** @returns the exit code: 1 where something could not be measured. A missed target is news, not a failure. */
async function bench({ groups, dist, json, ...options }) {
  const cli = join(resolve(dist ?? DIST), 'cli.js');
  if (!existsSync(cli)) throw new Error(`${cli} does not exist: run "npm run build" at the top first`);
  if (!cores)
    throw new Error('it takes Linux, to read CPU time, and two cores: one for the server, one for the load');
  leaveServerCore();
  const folder = mkdtempSync(join(tmpdir(), 'patchgate-bench-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const target = await start(bareEcho, { folder }, cores.load);
  const place = {
    cli,
    folder,
    targetPort: target.port,
    body: bodyFile(folder),
    recordingsOf: recordingsIn(folder),
  };

  const rows = [];
  let failures = 0;
  for (const { measure, peer, scenarios, needsPostgres } of groups) {
    const names = scenarios.map(({ name }) => name).join(', ');
    if (needsPostgres) place.postgres ??= await startPostgres(folder);
    if (needsPostgres && !place.postgres) {
      process.stderr.write(`left out: ${names}; no PostgreSQL is installed in /usr/lib/postgresql\n`);
      continue;
    }
    process.stderr.write(`measuring ${names} …\n`);
    try {
      rows.push(...(await measure(scenarios, peer, place, options)));
    } catch (error) {
      complain(error);
      failures++;
    }
  }
  await stop(target);
  await place.postgres?.stop();
  if (json)
    process.stdout.write(
      `${JSON.stringify(
        rows.map((row) => ({ ...summarise(row), pairs: row.pairs })),
        null,
        2,
      )}\n`,
    );
  else if (rows.length > 0) process.stdout.write(`\n${heading(options)}\n\n${table(rows)}\n`);
  return failures === 0 ? 0 : 1;
}

function bodyFile(folder) {
  const file = join(folder, 'body.json');
  writeFileSync(file, body);
  return file;
}

/** Gives the folder of a recording, which is written when it is first asked for. */
function recordingsIn(folder) {
  const written = new Set();
  return (recording) => {
    const recordings = join(folder, `recording-${recording.exchanges}-${recording.paths}`);
    if (!written.has(recordings)) writeRecording(recordings, recording);
    written.add(recordings);
    return recordings;
  };
}

function heading({ rounds, seconds }) {
  const where = `${cpus()[0]?.model}, server on core ${cores.server}, load and target on ${cores.load}`;
  return `Node ${process.version}, ${where}; ${rounds} rounds of ${seconds} s; medians; only ratios within one run count`;
}

function complain(error) {
  process.stderr.write(`bench: ${error instanceof Error ? error.message : error}\n`);
}
