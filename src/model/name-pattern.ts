/** Says whether a name is one of those that patterns mean, whole and in this letter case: `*` is any characters, `?` any one. */
export function nameMatcher(patterns: readonly string[]): (name: string) => boolean {
  const split = patterns.map((pattern) => [...pattern]);
  return (name) => split.length > 0 && split.some((pattern) => fits([...name], pattern));
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
    } else if (at < pattern.length && (pattern[at] === '?' || pattern[at] === name[i])) {
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
