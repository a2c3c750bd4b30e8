// `npm start`: the demo. npm has a shell between itself and this process, and tells that shell alone of a signal: when the shell has
// gone, another process is the parent.

const { ppid } = process;
setInterval(() => {
  if (process.ppid !== ppid) process.kill(process.pid, 'SIGTERM');
}, 200).unref();

process.argv.splice(2, 0, 'demo');
await import('../dist/cli.js');
