import { bm25 } from '#lib/bm25.ts';
import { terms } from '#lib/terms.ts';
import { check, type Judged } from './gate.ts';

export interface Selectable {
  name: string;
  description: string;
  triggers: string[];
  negativeTriggers: string[];
}

/** Whether a skill is the one that an intent asks for: the best match of all that are known, or one that the user named. */
export function selectionChecks(intent: string, chosen: string, known: Selectable[], isNamed: boolean): Judged[] {
  const scores = bm25(
    intent,
    known.map(({ name, description, triggers }) => [name, description, ...triggers].join(' ')),
  );
  const ranked = known
    .map((skill, i) => ({ ...skill, score: scores[i]! }))
    .sort((one, other) => other.score - one.score || (one.name < other.name ? -1 : 1));
  const first = ranked.find(({ score }) => score > 0);
  const own = known.find(({ name }) => name === chosen);
  const against = own?.negativeTriggers.find((trigger) => holds(terms(intent), terms(trigger)));
  // Where no skill speaks of it, words cannot tell.
  const isFirst = first === undefined || first.name === chosen;
  return [
    check(
      'best_match',
      isNamed || isFirst,
      isNamed
        ? `${chosen} was named`
        : first === undefined
          ? 'no skill speaks of it'
          : isFirst
            ? `${chosen} fits best`
            : `${first.name} fits better than ${chosen}`,
      { expected: chosen, actual: first?.name ?? null },
    ),
    check(
      'negative_trigger',
      against === undefined,
      against === undefined ? 'nothing speaks against it' : `${chosen} is not for ${JSON.stringify(against)}`,
    ),
  ];
}

const holds = (words: string[], wanted: string[]): boolean =>
  wanted.length > 0 && words.some((_, start) => wanted.every((word, i) => words[start + i] === word));
