/** Checks whether a path contains wildcards, sets or choices. */
export const isGlob = (path: string): boolean => /[*?[{]/.test(path);

/** Returns the folder that contains every match of a pattern. */
export function getGlobBase(pattern: string): string {
  const parts = pattern.split('/');
  const first = parts.findIndex(isGlob);
  return first < 0 ? pattern : parts.slice(0, first).join('/');
}

/** Compiles a glob for paths with `/`: `*` and `?` within one name, `**` for any number of folders, `[abc]` and `{one,other}`.
 *  Matching takes time proportional to the length of the path times that of the pattern, for every pattern. */
export function createGlobMatcher(pattern: string): (path: string) => boolean {
  const ways = expandBraces(pattern).map(parsePattern);
  return (path) => ways.some((steps) => matchSteps(steps, path));
}

/** Matches one character, any number of characters (`many`), or any number of whole folder names with their `/` (`folders`). */
type Step = { kind: 'one' | 'many'; fits(char: string): boolean } | { kind: 'folders' };

const maxChoices = 64;

/** Expands `{one,other}` into one pattern for each choice. With too many choices, the braces match literally. */
export function expandBraces(pattern: string): string[] {
  let found = [pattern];
  for (;;) {
    const next = found.flatMap((one) => {
      const [whole, inner] = /\{([^{}]*)\}/.exec(one) ?? [];
      return whole === undefined ? [one] : inner!.split(',').map((choice) => one.replace(whole, () => choice));
    });
    if (next.length > maxChoices) return [pattern];
    if (next.length === found.length && next.every((one, i) => one === found[i])) return found;
    found = next;
  }
}

const isNotSlash = (char: string): boolean => char !== '/';
const acceptAny = (): boolean => true;

function parsePattern(pattern: string): Step[] {
  const steps: Step[] = [];
  const parts = pattern.split('/');
  parts.forEach((part, i) => {
    const isLast = i === parts.length - 1;
    if (part === '**') steps.push(...(isLast ? anyPath : [{ kind: 'folders' } as const]));
    else steps.push(...parseName(part), ...(isLast ? [] : [matchExactly('/')]));
  });
  return steps;
}

const matchExactly = (wanted: string): Step => ({ kind: 'one', fits: (char) => char === wanted });
const anyPath: Step[] = [
  { kind: 'one', fits: acceptAny },
  { kind: 'many', fits: acceptAny },
];

function parseName(part: string): Step[] {
  const steps: Step[] = [];
  for (let i = 0; i < part.length; i += 1) {
    const char = part[i]!;
    const set = char === '[' ? /^\[([!^])?([^\]]+)\]/.exec(part.slice(i)) : null;
    if (char === '*') {
      if (part[i - 1] !== '*') steps.push({ kind: 'many', fits: isNotSlash });
    } else if (char === '?') steps.push({ kind: 'one', fits: isNotSlash });
    else if (set) {
      const isIn = createCharacterSet(set[2]!);
      steps.push({ kind: 'one', fits: (one) => isNotSlash(one) && isIn(one) !== Boolean(set[1]) });
      i += set[0].length - 1;
    } else steps.push(matchExactly(char));
  }
  return steps;
}

/** Parses the inside of `[a-z0]`. */
function createCharacterSet(set: string): (char: string) => boolean {
  const ranges = [...set.matchAll(/(.)-(.)|(.)/gs)].map(([, from, to, alone]) => [from ?? alone!, to ?? alone!] as const);
  return (char) => ranges.some(([from, to]) => char >= from && char <= to);
}

/** Follows all positions in the pattern that the path can have reached, one character at a time. */
function matchSteps(steps: Step[], path: string): boolean {
  let at = addSkippable(steps, new Set([0]));
  for (let i = 0; i < path.length && at.size > 0; i += 1) {
    const char = path[i]!;
    const next = new Set<number>();
    for (const place of at) {
      const step = steps[Math.floor(place)];
      if (!step) continue;
      // A position of n + 0.5 is within the name of a folder.
      if (step.kind === 'folders') {
        if (char !== '/') next.add(Math.floor(place) + 0.5);
        else if (!Number.isInteger(place)) next.add(Math.floor(place));
      } else if (step.fits(char)) next.add(step.kind === 'many' ? place : place + 1);
    }
    at = addSkippable(steps, next);
  }
  return at.has(steps.length);
}

/** Adds the positions after steps that may match nothing. */
function addSkippable(steps: Step[], from: Set<number>): Set<number> {
  for (const place of from) if (Number.isInteger(place) && steps[place] && steps[place].kind !== 'one') from.add(place + 1);
  return from;
}
