import { PatchgateError, systemCode } from '../../errors.ts';

/** What keeps a server from listening, with what to do about it. */
export function cannotListen(error: Error, host: string, port: number): PatchgateError {
  const reasons: Record<string, [string, string]> = {
    EADDRINUSE: [
      'the port is in use',
      'end what uses it, or choose another with --port (0 takes a free one)',
    ],
    EACCES: ['the port needs more rights', 'choose one above 1023 with --port'],
    EADDRNOTAVAIL: ['this machine has no such address', 'choose one of its own with --host: 127.0.0.1'],
    ENOTFOUND: ['the host name is not known', 'choose an address of this machine with --host: 127.0.0.1'],
  };
  const [reason, hint] = reasons[systemCode(error) ?? ''] ?? [
    error.message,
    'choose another with --host and --port',
  ];
  return new PatchgateError('cannot-listen', `cannot listen on ${host}:${port}: ${reason}`, {
    hint,
    cause: error,
  });
}
