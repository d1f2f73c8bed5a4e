import { nearest } from '#lib/nearest.ts';

/** The names that were probably meant, and the question that asks for them; both empty where nothing is near. */
export function suggest(name: string, known: string[]): { near: string[]; question: string } {
  return asked(nearest(name, known));
}

/** The same for flags: the dashes are no letters to get wrong, and a short one is like every other. */
export function suggestFlag(flag: string, known: Iterable<string>): { near: string[]; question: string } {
  if (!flag.startsWith('--')) return asked([]);
  const names = [...known].flatMap((other) => (other.startsWith('--') ? [other.slice(2)] : []));
  return asked(nearest(flag.slice(2), names).map((name) => `--${name}`));
}

const asked = (near: string[]) => ({ near, question: near.length ? `; did you mean ${near.join(' or ')}?` : '' });
