import { type Assessment, type CalibratedModel, type ExecutionFacts, rubricVersion } from '../model/assessment.ts';
import { type Example, learn, predict } from './logistic.ts';
import { measured } from './measures.ts';

/** An execution of which people said whether it passes. */
export interface Judged {
  facts: ExecutionFacts;
  assessment: Assessment;
  verdict: 'pass' | 'fail';
}

export const leastVerdicts = 30;
const folds = 5;

/** What a model sees of an execution: nothing that people said. */
const features: [name: string, of: (facts: ExecutionFacts, assessment: Assessment) => number | null][] = [
  ['correctness', (_, { dimensions }) => share(dimensions.correctness.score)],
  ['completeness', (_, { dimensions }) => share(dimensions.completeness.score)],
  ['efficiency', (_, { dimensions }) => share(dimensions.efficiency.score)],
  ['compliance', (_, { dimensions }) => share(dimensions.compliance.score)],
  ['judge', ({ judge }) => (judge.length === 0 ? null : mean(judge))],
  ['confidence', ({ confidence }) => confidence],
  ['retries', ({ retries }) => Math.min(10, retries)],
  ['warnings', ({ warnings }) => Math.min(20, warnings.length)],
];

const share = (points: number | null): number | null => (points === null ? null : points / 20);
const mean = (values: number[]): number => values.reduce((sum, each) => sum + each, 0) / values.length;

const featuresOf = (facts: ExecutionFacts, assessment: Assessment): Example['features'] => features.map(([, of]) => of(facts, assessment));

/** Why there is not enough to learn from; undefined where there is. */
export function shortage(judged: Judged[]): string | undefined {
  const passed = judged.filter(({ verdict }) => verdict === 'pass').length;
  if (judged.length < leastVerdicts) return `${judged.length} executions have a verdict of people; ${leastVerdicts} are needed`;
  if (passed === 0 || passed === judged.length)
    return `all ${judged.length} verdicts are ${passed === 0 ? 'fail' : 'pass'}; both are needed`;
  return undefined;
}

/** Learns to say what people would say, and measures it on what it has not seen. A model that is no better than always giving the
 *  commoner answer is kept, and not used. */
export function calibrate(judged: Judged[], about: { trainedAt: string; hash(text: string): string }): CalibratedModel {
  const sorted = [...judged].sort((one, other) => (one.facts.executionId < other.facts.executionId ? -1 : 1));
  const examples = sorted.map(({ facts, assessment, verdict }) => ({
    features: featuresOf(facts, assessment),
    isYes: verdict === 'pass',
  }));
  const { auc, brier, accuracy } = crossValidated(examples);
  const passed = examples.filter(({ isYes }) => isYes).length;
  const base = passed / examples.length;
  const majority = { accuracy: exact(Math.max(base, 1 - base)), brier: exact(base * (1 - base)) };
  const isBetter = accuracy > majority.accuracy && brier < majority.brier;
  const { intercept, weights, means, deviations } = learn(examples);
  const learned = {
    intercept: exact(intercept),
    features: features.map(([name], i) => ({
      ...{ name, weight: exact(weights[i]!), mean: exact(means[i]!), deviation: exact(deviations[i]!) },
    })),
  };
  return {
    schema_version: 1,
    rubric_version: rubricVersion,
    active: isBetter,
    ...(isBetter ? {} : { reason: 'it is no better than always saying what most verdicts say' }),
    id: about.hash(JSON.stringify(learned)).slice(0, 12),
    ...{ verdicts: examples.length, passed, failed: examples.length - passed, auc, brier, accuracy, majority },
    ...learned,
    trained_at: about.trainedAt,
  };
}

/** What people would say of an execution, by an active model of the rubric of today. */
export function prediction(model: CalibratedModel | undefined, facts: ExecutionFacts, assessment: Assessment): Assessment['prediction'] {
  if (!model?.active || model.rubric_version !== rubricVersion || model.features.length !== features.length) return undefined;
  const learned = {
    intercept: model.intercept,
    weights: model.features.map(({ weight }) => weight),
    means: model.features.map(({ mean: middle }) => middle),
    deviations: model.features.map(({ deviation }) => deviation),
  };
  return { pass: exact(predict(learned, featuresOf(facts, assessment))), model: model.id };
}

/** Each fifth is predicted by what the other four taught. Both answers are dealt out evenly. */
function crossValidated(examples: Example[]): { auc: number; brier: number; accuracy: number } {
  const seen = { yes: 0, no: 0 };
  const fold = examples.map(({ isYes }) => seen[isYes ? 'yes' : 'no']++ % folds);
  const guesses = new Array<number>(examples.length).fill(0);
  for (let part = 0; part < folds; part++) {
    const learned = learn(examples.filter((_, i) => fold[i] !== part));
    examples.forEach((example, i) => {
      if (fold[i] === part) guesses[i] = predict(learned, example.features);
    });
  }
  const { auc, brier, accuracy } = measured(examples.map(({ isYes }, i) => ({ isYes, guess: exact(guesses[i]!) })));
  return { auc: exact(auc), brier: exact(brier), accuracy: exact(accuracy) };
}

/** To six places: the last bits of an exponential are not the same on every machine. */
const exact = (value: number): number => Math.round(value * 1_000_000) / 1_000_000 || 0;
