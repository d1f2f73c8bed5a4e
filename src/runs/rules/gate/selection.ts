import { scoreBm25 } from '#lib/bm25.ts';
import { toTerms } from '#lib/terms.ts';
import { createCheck, type GateCheck } from './gate.ts';

interface SkillCandidate {
  name: string;
  description: string;
  triggers: string[];
  negativeTriggers: string[];
}

/** Checks that a skill is the best match of all known ones for an intent, or that the user named it. */
export function checkSelection(intent: string, chosen: string, known: SkillCandidate[], isNamed: boolean): GateCheck[] {
  const scores = scoreBm25(
    intent,
    known.map(({ name, description, triggers }) => [name, description, ...triggers].join(' ')),
  );
  const ranked = known
    .map((skill, i) => ({ ...skill, score: scores[i]! }))
    .sort((one, other) => other.score - one.score || (one.name < other.name ? -1 : 1));
  const first = ranked.find(({ score }) => score > 0);
  const own = known.find(({ name }) => name === chosen);
  const negativeTrigger = own?.negativeTriggers.find((trigger) => containsPhrase(toTerms(intent), toTerms(trigger)));
  // If no skill matches, the words of the intent decide nothing.
  const isFirst = first === undefined || first.name === chosen;
  return [
    createCheck(
      'best_match',
      isNamed || isFirst,
      isNamed
        ? `${chosen} was named`
        : first === undefined
          ? 'no skill matches the intent'
          : isFirst
            ? `${chosen} is the best match`
            : `${first.name} matches better than ${chosen}`,
      { expected: chosen, actual: first?.name ?? null },
    ),
    createCheck(
      'negative_trigger',
      negativeTrigger === undefined,
      negativeTrigger === undefined ? 'no negative trigger matches' : `${chosen} is not for ${JSON.stringify(negativeTrigger)}`,
    ),
  ];
}

const containsPhrase = (words: string[], wanted: string[]): boolean =>
  wanted.length > 0 && words.some((_, start) => wanted.every((word, i) => words[start + i] === word));
