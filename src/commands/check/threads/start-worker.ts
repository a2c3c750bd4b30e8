import { Worker } from 'node:worker_threads';
import type { CheckWorkerData } from './check-worker.ts';
import type { JudgeWorker } from './judge-in-parallel.ts';

/** Starts a thread that judges; it is a program of its own beside this one. */
export function startWorker(data: CheckWorkerData): JudgeWorker {
  return new Worker(new URL('./check-worker.js', import.meta.url), { workerData: data });
}
