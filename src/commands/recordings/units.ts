/** Amounts for people. */

const SIZES = ['B', 'KiB', 'MiB', 'GiB'];

/** `1.2 KiB` */
export function sizeText(bytes: number): string {
  let size = bytes;
  let unit = 0;
  while (size >= 1024 && unit < SIZES.length - 1) {
    size /= 1024;
    unit++;
  }
  return `${unit > 0 && size < 10 ? size.toFixed(1) : Math.round(size)} ${SIZES[unit]}`;
}

const AGES: readonly [string, number][] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
];

/** How long ago, in its largest unit: `3d`, `5h`, `12m`, `now` below a minute. */
export function ageText(time: number, now: number): string {
  const age = AGES.find(([, length]) => now - time >= length);
  return age === undefined ? 'now' : `${Math.floor((now - time) / age[1])}${age[0]}`;
}
