/** The rows of the measures as one aligned table: medians, and ratios pair by pair. */
export function table(rows) {
  const cells = [
    ['', 'ours', 'peer', 'unit, peer', 'ratio', 'min-max', 'target', ''],
    ...rows
      .map(summarise)
      .map((row) => [
        row.name,
        number(row.ours),
        row.peer === undefined ? '' : number(row.peer),
        [row.unit, row.peerName].filter(Boolean).join(', '),
        row.ratio ? row.ratio.median.toFixed(2) : '',
        row.ratio ? `${row.ratio.min.toFixed(2)}-${row.ratio.max.toFixed(2)}` : '',
        row.target,
        row.isReached === undefined ? '' : row.isReached ? 'reached' : 'MISSED',
      ]),
  ];
  return align(cells, [1, 2, 4]);
}

/** Medians of one row's pairs. Ratios are taken pair by pair: only neighbours in time compare. */
export function summarise({ pairs, isInverse, atLeast, atMost, limit, ...row }) {
  const ours = spread(pairs.map((pair) => pair.ours)).median;
  if (pairs[0].peer === undefined) return { ...row, ours, ...judge(ours, { atMost: limit }, row.unit) };
  const peer = spread(pairs.map((pair) => pair.peer)).median;
  const ratio = spread(pairs.map((pair) => (isInverse ? pair.peer / pair.ours : pair.ours / pair.peer)));
  const target =
    limit === undefined ? judge(ratio.median, { atLeast, atMost }) : judge(ours, { atMost: limit }, row.unit);
  return { ...row, ours, peer, ratio, ...target };
}

/** @param unit of a value; a ratio has none */
function judge(value, { atLeast, atMost }, unit = '') {
  if (atLeast !== undefined) return { target: `>= ${atLeast}`, isReached: value >= atLeast };
  if (atMost !== undefined) return { target: `<= ${atMost} ${unit}`.trim(), isReached: value <= atMost };
  return { target: '' };
}

function spread(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const median = sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  return { median, min: sorted[0], max: sorted.at(-1) };
}

function number(value) {
  return value < 100 ? value.toPrecision(2) : Math.round(value).toLocaleString('en-US');
}

function align(rows, right) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const pad = (cell, column) =>
    right.includes(column) ? cell.padStart(widths[column]) : cell.padEnd(widths[column]);
  return rows.map((row) => row.map(pad).join('  ').trimEnd()).join('\n');
}
