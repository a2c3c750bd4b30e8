const UNITS = { load: 'requests/s', 'body-cost': 'ms of CPU' };

/**
 * Medians and ranges of one row's pairs. Ratios are taken pair by pair: only neighbours in time compare.
 *
 * @param row what a measure gave; what it does not say of itself is the scenario's: `{ name, peerName, unit, target }`
 */
export function summarise(measured, row) {
  const scenario = { unit: UNITS[measured.kind] ?? 'ms', ...measured, ...row };
  const { pairs } = scenario;
  const { atLeast, atMost } = scenario.target;
  const ratio = spread(pairs.map(({ ours, peer }) => ours.value / peer.value));
  const reached =
    atLeast !== undefined
      ? ratio.median >= atLeast
      : atMost !== undefined
        ? ratio.median <= atMost
        : undefined;
  return {
    name: scenario.name,
    peerName: scenario.peerName,
    unit: scenario.unit,
    notes: [...new Set(pairs.flatMap(({ note }) => note ?? []))],
    ratio,
    target: scenario.target,
    reached,
    ours: side(pairs.map((pair) => pair.ours)),
    peer: side(pairs.map((pair) => pair.peer)),
  };
}

function side(turns) {
  const of = (name) => turns.map((turn) => turn[name]).filter((value) => value !== undefined);
  return {
    value: spread(of('value')),
    cpuMicros: spread(of('cpuMicros')),
    busy: spread(of('busy')),
    // The kernel keeps the peak since the start: the last turn has it.
    peakBytes: of('peakBytes').at(-1),
  };
}

/** @returns undefined for no values */
function spread(values) {
  if (values.length === 0) return undefined;
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const median = sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  return { median, min: sorted[0], max: sorted.at(-1) };
}
