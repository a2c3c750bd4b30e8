import type { Request } from 'express';
import { PatchgateError } from '../../errors.ts';
import { SESSION_HEADER } from '../../upstreams/session.ts';
import { EXCHANGES_KEPT, type ExchangeFilter } from '../exchange-list.ts';
import { sessionNameOf } from '../sessions.ts';

/** Which exchanges are asked for. @throws PatchgateError `bad-input` */
export function filterOf(req: Request): ExchangeFilter {
  const { limit, verdict, session } = parametersOf(req, ['limit', 'verdict', 'session'], EXAMPLE);
  if (limit !== undefined && !/^\d{1,9}$/.test(limit)) throw badQuery('limit is not a number', EXAMPLE);
  if (verdict !== undefined && verdict !== 'pass' && verdict !== 'block')
    throw badQuery('verdict is neither pass nor block', EXAMPLE);
  return { limit: limit === undefined ? EXCHANGES_KEPT : Number(limit), outcome: verdict, session };
}

/** Which session is meant. A client that names its session with every request means that one here, too.
 *  @returns undefined: all of them
 *  @throws PatchgateError `bad-input` */
export function sessionOf(req: Request): string | undefined {
  const { session } = parametersOf(req, ['session'], '?session=NAME');
  const named = sessionNameOf(req.rawHeaders) || undefined;
  if (session !== undefined && named !== undefined && session !== named) {
    throw new PatchgateError('bad-input', `the query and the header ${SESSION_HEADER} name two sessions`, {
      hint: 'name the session in one of them',
    });
  }
  return session ?? named;
}

const EXAMPLE = '?limit=20&verdict=block&session=NAME';

/** The parameters of a query, each at most once. */
function parametersOf<Name extends string>(
  req: Request,
  names: readonly Name[],
  example: string,
): { [name in Name]?: string } {
  for (const [name, value] of Object.entries(req.query)) {
    const shown = name.slice(0, 100);
    if (!(names as readonly string[]).includes(name)) throw badQuery(`unknown parameter ${shown}`, example);
    if (typeof value !== 'string') throw badQuery(`${shown} comes more than once`, example);
  }
  return req.query as { [name in Name]?: string };
}

function badQuery(message: string, example: string): PatchgateError {
  return new PatchgateError('bad-input', message, { hint: `use ${example}, or leave it out` });
}
