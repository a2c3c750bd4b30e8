import { isUrl } from '../../http/url.ts';

/** Whether a request's target is a path, or a URL that can be parsed (RFC 9112 3.2). */
export function isReadableTarget(target: string): boolean {
  return target.startsWith('/') || target === '*' || isUrl(target);
}
