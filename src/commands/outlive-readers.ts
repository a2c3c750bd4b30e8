/** A reader of what a server says that goes away (`| head`) is no reason for it to stop. */
export function outliveReaders(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
}
