// Starts a replay within this process and a bare server in turns, as a test suite would, and prints what each start took.
import { createServer } from 'node:http';
import { performance } from 'node:perf_hooks';

const { library, recordings, starts } = JSON.parse(process.argv[2]);
const { replay } = await import(library);

async function bare() {
  const server = createServer((_, res) => res.end());
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { close: () => new Promise((resolve) => server.close(resolve)) };
}

/** Microseconds from the call until it listens. */
async function timeOf(start) {
  const startedAt = performance.now();
  const server = await start();
  const time = (performance.now() - startedAt) * 1000;
  await server.close();
  return time;
}

const pairs = [];
for (let i = 0; i < starts; i++) {
  const peer = await timeOf(bare);
  const ours = await timeOf(() => replay({ recordings }));
  pairs.push({ ours, peer });
}
process.stdout.write(JSON.stringify(pairs));
