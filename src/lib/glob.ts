/** Whether a path is a pattern: with stars, question marks, choices. */
export const isGlob = (path: string): boolean => /[*?[{]/.test(path);

/** The folder that everything a pattern fits lies in. */
export function globBase(pattern: string): string {
  const parts = pattern.split('/');
  const first = parts.findIndex(isGlob);
  return first < 0 ? pattern : parts.slice(0, first).join('/');
}

/** Fits paths with `/`: `*` and `?` within one name, `**` over any number of folders, `[abc]`, `{one,other}`. The time it takes is the
 *  length of the path times that of the pattern, whatever the pattern. */
export function globMatcher(pattern: string): (path: string) => boolean {
  const ways = choicesOf(pattern).map(stepsOf);
  return (path) => ways.some((steps) => walk(steps, path));
}

/** What the next character has to be; `many` may be none or any number of them, `folders` any number of whole names with their `/`. */
type Step = { kind: 'one' | 'many'; fits(char: string): boolean } | { kind: 'folders' };

const mostChoices = 64;

/** One pattern for each choice; with more than anybody writes, the braces stand for themselves. */
function choicesOf(pattern: string): string[] {
  let found = [pattern];
  for (;;) {
    const next = found.flatMap((one) => {
      const [whole, inner] = /\{([^{}]*)\}/.exec(one) ?? [];
      return whole === undefined ? [one] : inner!.split(',').map((choice) => one.replace(whole, () => choice));
    });
    if (next.length > mostChoices) return [pattern];
    if (next.length === found.length && next.every((one, i) => one === found[i])) return found;
    found = next;
  }
}

const inName = (char: string): boolean => char !== '/';
const anything = (): boolean => true;

function stepsOf(pattern: string): Step[] {
  const steps: Step[] = [];
  const parts = pattern.split('/');
  parts.forEach((part, i) => {
    const isLast = i === parts.length - 1;
    if (part === '**') steps.push(...(isLast ? everything : [{ kind: 'folders' } as const]));
    else steps.push(...nameSteps(part), ...(isLast ? [] : [exactly('/')]));
  });
  return steps;
}

const exactly = (wanted: string): Step => ({ kind: 'one', fits: (char) => char === wanted });
const everything: Step[] = [
  { kind: 'one', fits: anything },
  { kind: 'many', fits: anything },
];

function nameSteps(part: string): Step[] {
  const steps: Step[] = [];
  for (let i = 0; i < part.length; i += 1) {
    const char = part[i]!;
    const set = char === '[' ? /^\[([!^])?([^\]]+)\]/.exec(part.slice(i)) : null;
    if (char === '*') {
      if (part[i - 1] !== '*') steps.push({ kind: 'many', fits: inName });
    } else if (char === '?') steps.push({ kind: 'one', fits: inName });
    else if (set) {
      const isIn = oneOf(set[2]!);
      steps.push({ kind: 'one', fits: (one) => inName(one) && isIn(one) !== Boolean(set[1]) });
      i += set[0].length - 1;
    } else steps.push(exactly(char));
  }
  return steps;
}

/** `a-z0` and the like. */
function oneOf(set: string): (char: string) => boolean {
  const ranges = [...set.matchAll(/(.)-(.)|(.)/gs)].map(([, from, to, alone]) => [from ?? alone!, to ?? alone!] as const);
  return (char) => ranges.some(([from, to]) => char >= from && char <= to);
}

/** All places in the pattern that the path may have come to, character by character. */
function walk(steps: Step[], path: string): boolean {
  let at = reach(steps, new Set([0]));
  for (let i = 0; i < path.length && at.size > 0; i += 1) {
    const char = path[i]!;
    const next = new Set<number>();
    for (const place of at) {
      const step = steps[Math.floor(place)];
      if (!step) continue;
      // Half a step on: within the name of a folder.
      if (step.kind === 'folders') {
        if (char !== '/') next.add(Math.floor(place) + 0.5);
        else if (!Number.isInteger(place)) next.add(Math.floor(place));
      } else if (step.fits(char)) next.add(step.kind === 'many' ? place : place + 1);
    }
    at = reach(steps, next);
  }
  return at.has(steps.length);
}

/** With everything that may also be none. */
function reach(steps: Step[], from: Set<number>): Set<number> {
  for (const place of from) if (Number.isInteger(place) && steps[place] && steps[place].kind !== 'one') from.add(place + 1);
  return from;
}
