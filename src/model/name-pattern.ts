/**
 * Says whether a name is one of those that patterns mean, whole and in this letter case: `*` is any characters, `?` any one. Names
 * that look alike are the same.
 */
export function nameMatcher(patterns: readonly string[]): (name: string) => boolean {
  const split = patterns.map((pattern) => [[...pattern], [...plainName(pattern)]] as const);
  return (name) => {
    const [sent, plain] = [[...name], [...plainName(name)]];
    return split.some(([exact, loose]) => fits(sent, exact) || fits(plain, loose));
  };
}

/** A name as people see it: composed (NFC), trimmed, with one blank for several. */
export function plainName(name: string): string {
  return name.normalize('NFC').trim().replace(/\s+/g, ' ');
}

export function isSameName(one: string, other: string): boolean {
  return one === other || plainName(one) === plainName(other);
}

/** Goes back to the last star alone, so that many stars take no more time than one. */
function fits(name: readonly string[], pattern: readonly string[]): boolean {
  let at = 0;
  let star = -1;
  let afterStar = 0;
  for (let i = 0; i < name.length; ) {
    if (pattern[at] === '*') {
      star = at++;
      afterStar = i;
    } else if (pattern[at] === '?' || pattern[at] === name[i]) {
      at++;
      i++;
    } else if (star >= 0) {
      at = star + 1;
      i = ++afterStar;
    } else return false;
  }
  while (pattern[at] === '*') at++;
  return at === pattern.length;
}
