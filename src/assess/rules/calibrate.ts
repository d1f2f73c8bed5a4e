import { mean } from '#lib/statistics.ts';
import { type Assessment, type CalibratedModel, type ExecutionFacts, rubricVersion } from '../model/assessment.ts';
import { measureGuesses, predictProbability, type TrainingExample, trainModel } from './logistic.ts';

/** An execution with the verdict of its reviewers. */
export interface CalibratedExecution {
  facts: ExecutionFacts;
  assessment: Assessment;
  verdict: 'pass' | 'fail';
}

const minVerdicts = 30;
const foldCount = 5;

type Feature = [name: string, extract: (facts: ExecutionFacts, assessment: Assessment) => number | null];

/** The features of an execution. None of them comes from reviewers. */
const features: Feature[] = [
  ...(['correctness', 'completeness', 'efficiency', 'compliance'] as const).map(
    (name): Feature => [name, (_, { dimensions: { [name]: dimension } }) => (dimension.score === null ? null : dimension.score / 20)],
  ),
  ['judge', ({ judge }) => (judge.length === 0 ? null : mean(judge))],
  ['confidence', ({ confidence }) => confidence],
  ['retries', ({ retries }) => Math.min(10, retries)],
  ['warnings', ({ warnings }) => Math.min(20, warnings.length)],
];

const extractFeatures = (facts: ExecutionFacts, assessment: Assessment): TrainingExample['features'] =>
  features.map(([, extract]) => extract(facts, assessment));

/** The reason why the verdicts are not enough for training. */
export function findShortage(judged: CalibratedExecution[]): string | undefined {
  const passed = judged.filter(({ verdict }) => verdict === 'pass').length;
  if (judged.length < minVerdicts) return `${judged.length} executions have a human verdict; ${minVerdicts} are needed`;
  if (passed === 0 || passed === judged.length)
    return `all ${judged.length} verdicts are ${passed === 0 ? 'fail' : 'pass'}; both are needed`;
  return undefined;
}

/** Trains a model to predict verdicts and measures it by cross-validation. A model that does not beat the majority verdict is stored
 *  but not used. */
export function calibrate(judged: CalibratedExecution[], options: { trainedAt: string; hash(text: string): string }): CalibratedModel {
  const sorted = [...judged].sort((one, other) => (one.facts.executionId < other.facts.executionId ? -1 : 1));
  const examples = sorted.map(({ facts, assessment, verdict }) => ({
    features: extractFeatures(facts, assessment),
    isPositive: verdict === 'pass',
  }));
  const { auc, brier, accuracy } = crossValidate(examples);
  const passed = examples.filter(({ isPositive }) => isPositive).length;
  const passShare = passed / examples.length;
  const majority = { accuracy: roundTo6(Math.max(passShare, 1 - passShare)), brier: roundTo6(passShare * (1 - passShare)) };
  const isBetter = accuracy > majority.accuracy && brier < majority.brier;
  const { intercept, weights, means, deviations } = trainModel(examples);
  const parameters = {
    intercept: roundTo6(intercept),
    features: features.map(([name], i) => ({
      name,
      weight: roundTo6(weights[i]!),
      mean: roundTo6(means[i]!),
      deviation: roundTo6(deviations[i]!),
    })),
  };
  return {
    schema_version: 1,
    rubric_version: rubricVersion,
    active: isBetter,
    ...(isBetter ? {} : { reason: 'it is no better than always predicting the majority verdict' }),
    id: options.hash(JSON.stringify(parameters)).slice(0, 12),
    verdicts: examples.length,
    passed,
    failed: examples.length - passed,
    auc,
    brier,
    accuracy,
    majority,
    ...parameters,
    trained_at: options.trainedAt,
  };
}

/** Predicts the verdict of reviewers. Undefined if the model is inactive or belongs to another rubric version. */
export function predictVerdict(
  model: CalibratedModel | undefined,
  facts: ExecutionFacts,
  assessment: Assessment,
): Assessment['prediction'] {
  if (!model?.active || model.rubric_version !== rubricVersion || model.features.length !== features.length) return undefined;
  const parameters = {
    intercept: model.intercept,
    weights: model.features.map(({ weight }) => weight),
    means: model.features.map((feature) => feature.mean),
    deviations: model.features.map(({ deviation }) => deviation),
  };
  return { pass: roundTo6(predictProbability(parameters, extractFeatures(facts, assessment))), model: model.id };
}

/** Five-fold cross-validation. Both verdicts are distributed evenly over the folds. */
function crossValidate(examples: TrainingExample[]): { auc: number; brier: number; accuracy: number } {
  const seen = { yes: 0, no: 0 };
  const fold = examples.map(({ isPositive }) => seen[isPositive ? 'yes' : 'no']++ % foldCount);
  const guesses = new Array<number>(examples.length).fill(0);
  for (let part = 0; part < foldCount; part++) {
    const parameters = trainModel(examples.filter((_, i) => fold[i] !== part));
    examples.forEach((example, i) => {
      if (fold[i] === part) guesses[i] = predictProbability(parameters, example.features);
    });
  }
  const { auc, brier, accuracy } = measureGuesses(examples.map(({ isPositive }, i) => ({ isPositive, guess: roundTo6(guesses[i]!) })));
  return { auc: roundTo6(auc), brier: roundTo6(brier), accuracy: roundTo6(accuracy) };
}

/** Six decimals, because the last bits of an exponential differ between machines. */
const roundTo6 = (value: number): number => Math.round(value * 1_000_000) / 1_000_000 || 0;
