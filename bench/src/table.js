const MEBIBYTE = 1024 * 1024;
/** Below this share of a core something other than the server set the pace. */
const BUSY = 0.9;

/** The summaries as one aligned table. */
export function table(summaries) {
  const rows = [
    ['scenario', 'ours', 'peer', 'unit, peer', 'ratio', 'min-max', 'target', '', 'CPU µs', 'busy %', 'MiB'],
    ...summaries.map((summary) => [
      summary.name,
      number(summary.ours.value.median),
      number(summary.peer.value.median),
      `${summary.unit}, ${summary.peerName}`,
      summary.ratio.median.toFixed(2),
      `${summary.ratio.min.toFixed(2)}-${summary.ratio.max.toFixed(2)}`,
      targetOf(summary.target),
      summary.reached === undefined ? '' : summary.reached ? 'reached' : 'MISSED',
      both(summary, (side) => side.cpuMicros?.median),
      both(summary, (side) => side.busy && side.busy.median * 100),
      both(summary, (side) => side.peakBytes && side.peakBytes / MEBIBYTE),
    ]),
  ];
  const idle = summaries.filter(({ ours, peer }) => [ours, peer].some(({ busy }) => busy?.median < BUSY));
  const notes = [];
  if (idle.length > 0) {
    const names = [...new Set(idle.map(({ name }) => name))].join(', ');
    notes.push(`a server did not get or use its whole core: compare the CPU µs, or measure again: ${names}`);
  }
  for (const { name, notes: said } of summaries)
    if (said.length > 0) notes.push(`${name}: ${said.join(', then ')}`);
  return [...align(rows, [1, 2, 4, 8, 9, 10]), ...notes].join('\n');
}

function number(value) {
  return Math.round(value).toLocaleString('en-US');
}

function targetOf({ atLeast, atMost }) {
  return atLeast !== undefined ? `>= ${atLeast}` : atMost !== undefined ? `<= ${atMost}` : '-';
}

function both({ ours, peer }, pick) {
  const values = [pick(ours), pick(peer)];
  return values.includes(undefined) ? '-' : values.map(number).join(' / ');
}

function align(rows, right) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  return rows.map((row) =>
    row
      .map((cell, column) =>
        right.includes(column) ? cell.padStart(widths[column]) : cell.padEnd(widths[column]),
      )
      .join('  ')
      .trimEnd(),
  );
}
