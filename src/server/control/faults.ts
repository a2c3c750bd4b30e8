import type { RequestHandler } from 'express';
import type { FaultsGiven } from '../../model/fault.ts';
import type { Faults } from '../faults/faults.ts';
import { sessionOf } from './query.ts';
import { readJson } from './read-json.ts';

/** The faults that hold, in all or for one session, and how often each fitted and happened. */
export function getFaults(faults: Faults): RequestHandler {
  return (req, res) => {
    res.json(faults.list(sessionOf(req)));
  };
}

/** Others in their place: `{ "seed": 42, "latency": "50ms..200ms", "faults": ["PATCH status=503 count=2"] }`. Each member may be
 *  left out; the answer is that of a GET. */
export function putFaults(faults: Faults): RequestHandler {
  return async (req, res) => {
    const session = sessionOf(req);
    await faults.set(readJson(req.body, EXAMPLE) as FaultsGiven, session);
    res.json(faults.list(session));
  };
}

/** None any more; for one session, the common ones again. */
export function takeFaults(faults: Faults): RequestHandler {
  return (req, res) => {
    const session = sessionOf(req);
    faults.clear(session);
    res.json(faults.list(session));
  };
}

const EXAMPLE = 'send {"faults": ["PATCH status=503 count=2"]}';
