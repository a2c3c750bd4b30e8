import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { cores } from './cores.js';
import { drive, measureLoad, measureStart } from './measure.js';
import { measureBodies } from './measure-bodies.js';
import { HELP, readOptions } from './options.js';
import { prepare } from './scenarios.js';
import { summarise } from './summary.js';
import { table } from './table.js';

try {
  const options = readOptions(process.argv.slice(2));
  if (options.help) process.stdout.write(HELP);
  else process.exitCode = await bench(options);
} catch (error) {
  complain(error);
  process.exitCode = 2;
}

/** @returns the exit code: 1 where something could not be measured. A missed target is news, not a failure. */
async function bench({ selected, rounds, seconds, json }) {
  const folder = mkdtempSync(join(tmpdir(), 'patchgate-bench-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  // This process only waits, but where it does not, it must not be in the server's way.
  if (cores) spawnSync('taskset', ['-a', '-c', '-p', String(cores.load), String(process.pid)]);

  const place = await prepare(folder, drive);
  const results = [];
  try {
    for (const scenario of selected) {
      process.stderr.write(`measuring ${scenario.name} against ${scenario.peerName} …\n`);
      try {
        if (scenario.needsRecording) await place.record();
        const pairs = await measureOf(scenario.kind)(scenario, place, { rounds, seconds });
        results.push({ ...summarise(scenario, pairs), pairs });
      } catch (error) {
        complain(error);
      }
    }
  } finally {
    await place.close();
  }
  if (results.length === 0) return 1;
  const machine = { node: process.version, cpu: cpus()[0]?.model, cores: cores ?? null };
  if (json) process.stdout.write(`${JSON.stringify({ machine, rounds, seconds, results }, null, 2)}\n`);
  else process.stdout.write(`\n${heading(machine, rounds, seconds)}\n\n${table(results)}\n`);
  return results.length === selected.length ? 0 : 1;
}

function measureOf(kind) {
  if (kind === 'load') return measureLoad;
  return kind === 'body-cost' ? measureBodies : measureStart;
}

function heading({ node, cpu }, rounds, seconds) {
  const pinned = cores ? `server on core ${cores.server}, load and target on ${cores.load}` : 'not pinned';
  return `Node ${node}, ${cpu}, ${pinned}; ${rounds} rounds of ${seconds} s; medians; only ratios within one run count`;
}

function complain(error) {
  process.stderr.write(`bench: ${error instanceof Error ? error.message : error}\n`);
}
