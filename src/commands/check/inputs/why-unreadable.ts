import { messageOf, systemCode } from '../../../errors.ts';

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EISDIR: 'it is a folder',
  ELOOP: 'its links lead nowhere',
};

/** Why a file or folder cannot be read, for people: what the system says, without its names of functions and files. */
export function whyUnreadable(error: unknown): string {
  return REASONS[systemCode(error) ?? ''] ?? messageOf(error);
}
