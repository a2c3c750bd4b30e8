import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { cores } from './cores.js';
import { measureLoad, measureStart } from './measure.js';
import { measureBodies } from './measure-bodies.js';
import { measureInTest, measureInTestGrowth } from './measure-in-test.js';
import { measureRecordGrowth } from './measure-record-growth.js';
import { measureReplayGrowth } from './measure-replay-growth.js';
import { measureStartGrowth } from './measure-start-growth.js';
import { HELP, readOptions } from './options.js';
import { prepare } from './place.js';
import { summarise } from './summary.js';
import { table } from './table.js';

/** By the kind of a scenario: what measures it. Each gives rows of pairs of `{ ours, peer }`. */
const MEASURES = {
  load: measureLoad,
  'first-answer': measureStart,
  'whole-run': measureStart,
  'body-cost': measureBodies,
  'in-test': measureInTest,
  'record-growth': measureRecordGrowth,
  'replay-growth': measureReplayGrowth,
  'start-growth': measureStartGrowth,
  'start-in-test-growth': measureInTestGrowth,
};

try {
  const options = readOptions(process.argv.slice(2));
  if (options.help) process.stdout.write(HELP);
  else process.exitCode = await bench(options);
} catch (error) {
  complain(error);
  process.exitCode = 2;
}

/** @returns the exit code: 1 where something could not be measured. A missed target is news, not a failure. */
async function bench({ selected, rounds, seconds, exchanges, json }) {
  const folder = mkdtempSync(join(tmpdir(), 'patchgate-bench-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  // This process only waits, but where it does not, it must not be in the server's way.
  if (cores) spawnSync('taskset', ['-a', '-c', '-p', String(cores.load), String(process.pid)]);

  const place = await prepare(folder);
  const results = [];
  let measured = 0;
  try {
    for (const scenario of selected) {
      process.stderr.write(`measuring ${scenario.name} against ${scenario.peerName} …\n`);
      try {
        if (scenario.needsRecording) await place.record();
        const rows = await MEASURES[scenario.kind](scenario, place, { rounds, seconds, exchanges });
        results.push(...rows.map((row) => ({ ...summarise(scenario, row), pairs: row.pairs })));
        measured++;
      } catch (error) {
        complain(error);
      }
    }
  } finally {
    await place.close();
  }
  if (results.length === 0) return 1;
  const machine = { node: process.version, cpu: cpus()[0]?.model, cores: cores ?? null };
  if (json)
    process.stdout.write(`${JSON.stringify({ machine, rounds, seconds, exchanges, results }, null, 2)}\n`);
  else process.stdout.write(`\n${heading(machine, rounds, seconds)}\n\n${table(results)}\n`);
  return measured === selected.length ? 0 : 1;
}

function heading({ node, cpu }, rounds, seconds) {
  const pinned = cores ? `server on core ${cores.server}, load and target on ${cores.load}` : 'not pinned';
  return `Node ${node}, ${cpu}, ${pinned}; ${rounds} rounds of ${seconds} s; medians; only ratios within one run count`;
}

function complain(error) {
  process.stderr.write(`bench: ${error instanceof Error ? error.message : error}\n`);
}
