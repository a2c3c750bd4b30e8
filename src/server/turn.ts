/**
 * Puts responses together at the end of this turn of the event loop. A write wakes the process at the other
 * end; such a wake-up costs as much as judging a request, and back to back one does for all. Measured on a busy gate: a
 * third of what a replayed request takes. (Requests to the target gain nothing by it.)
 */
export function atEndOfTurn(task: () => void): void {
  if (tasks.push(task) === 1) setImmediate(runAll);
}

let tasks: (() => void)[] = [];

function runAll(): void {
  const due = tasks;
  tasks = [];
  for (const task of due) task();
}
