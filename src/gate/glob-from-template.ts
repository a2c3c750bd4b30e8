/** What makes a segment stand for others than itself. */
const MAGIC = /[*?[\]{}()!+@|]/;

/**
 * A glob of request paths without what stands before the operations' templates: `/api/v2/accounts/*` is `/accounts/*`. One that
 * begins with a star is for all that stands before. Undefined where no operation's path could fit.
 *
 * @param templates path templates: `/accounts/{account_id}/projects/{project_id}`
 */
export function globFromTemplate(glob: string, templates: readonly string[]): string | undefined {
  const words = templates.map((template) => template.split('/')[1] ?? '');
  const segments = glob.replace(/^\/|\/$/g, '').split('/');
  const start = segments.findIndex((segment) => words.includes(segment));
  if (start >= 0) return `/${segments.slice(start).join('/')}`;
  const isOfAny = MAGIC.test(segments[0] ?? '') || words.some((word) => word.startsWith('{'));
  return isOfAny ? `/${segments.join('/')}` : undefined;
}
