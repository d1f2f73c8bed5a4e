import { mean } from '#lib/statistics.ts';

/** A logistic regression model: the weight of each scaled feature. */
interface LogisticModel {
  intercept: number;
  weights: number[];
  means: number[];
  deviations: number[];
}

export interface TrainingExample {
  /** Null if unknown; it then counts as the mean, which has no effect. */
  features: (number | null)[];
  isPositive: boolean;
}

const iterations = 500;
/** Strength of the L2 penalty, which keeps weights small when there are few examples. */
const penalty = 1;

/** Trains a logistic regression with an L2 penalty by Nesterov gradient descent. The number of steps is fixed, so that the same examples
 *  give the same weights, which agree with those of Newton's method. */
export function trainModel(examples: TrainingExample[]): LogisticModel {
  const width = examples[0]?.features.length ?? 0;
  const { means, deviations } = computeScale(examples, width);
  const rows = examples.map(({ features }) => scaleFeatures(features, means, deviations));
  const count = examples.length;
  // The step is bounded by the curvature, so that it never overshoots.
  const step = 1 / (0.25 * (width + 1) + penalty / count);
  let weights = new Array<number>(width).fill(0);
  let lookahead = weights;
  let [intercept, lookaheadIntercept] = [0, 0];
  for (let round = 0; round < iterations; round++) {
    const gradient = lookahead.map((weight) => penalty * weight);
    let interceptGradient = 0;
    rows.forEach((row, n) => {
      const error = computeSigmoid(computeDotProduct(lookaheadIntercept, lookahead, row)) - (examples[n]!.isPositive ? 1 : 0);
      interceptGradient += error;
      for (let i = 0; i < width; i++) gradient[i]! += error * row[i]!;
    });
    const [previousIntercept, previousWeights] = [intercept, weights];
    intercept = lookaheadIntercept - (step * interceptGradient) / count;
    weights = lookahead.map((weight, i) => weight - (step * gradient[i]!) / count);
    const momentum = round / (round + 3);
    lookaheadIntercept = intercept + momentum * (intercept - previousIntercept);
    lookahead = weights.map((weight, i) => weight + momentum * (weight - previousWeights[i]!));
  }
  return { intercept, weights, means, deviations };
}

/** The probability of a positive example, from 0 to 1. */
export const predictProbability = (
  { intercept, weights, means, deviations }: LogisticModel,
  features: TrainingExample['features'],
): number => computeSigmoid(computeDotProduct(intercept, weights, scaleFeatures(features, means, deviations)));

const scaleFeatures = (features: TrainingExample['features'], means: number[], deviations: number[]): number[] =>
  features.map((value, i) => (value === null ? 0 : (value - means[i]!) / deviations[i]!));

function computeScale(examples: TrainingExample[], width: number): { means: number[]; deviations: number[] } {
  const columns = Array.from({ length: width }, (_, i) => examples.flatMap(({ features }) => features[i] ?? []));
  const means = columns.map(mean);
  const deviations = columns.map((known, i) => {
    const spread = Math.sqrt(known.reduce((sum, value) => sum + (value - means[i]!) ** 2, 0) / Math.max(1, known.length));
    // A constant feature has no effect; 1 avoids a division by zero.
    return spread < 1e-9 ? 1 : spread;
  });
  return { means, deviations };
}

const computeSigmoid = (value: number): number => 1 / (1 + Math.exp(-value));

function computeDotProduct(start: number, weights: number[], row: number[]): number {
  let sum = start;
  for (let i = 0; i < row.length; i++) sum += weights[i]! * row[i]!;
  return sum;
}

/** A prediction and the actual outcome. */
interface ScoredGuess {
  isPositive: boolean;
  guess: number;
}

/** Measures predictions: area under the ROC curve, Brier score, and accuracy at a threshold of 0.5. */
export function measureGuesses(guesses: ScoredGuess[]): { auc: number; brier: number; accuracy: number } {
  const squaredError = guesses.reduce((sum, { isPositive, guess }) => sum + (guess - (isPositive ? 1 : 0)) ** 2, 0);
  const correct = guesses.filter(({ isPositive, guess }) => guess >= 0.5 === isPositive).length;
  return { auc: computeAuc(guesses), brier: squaredError / guesses.length, accuracy: correct / guesses.length };
}

/** Computed from ranks, so that it takes no longer than sorting; ties count half. */
function computeAuc(guesses: ScoredGuess[]): number {
  const order = [...guesses].sort((one, other) => one.guess - other.guess);
  let rankSum = 0;
  for (let start = 0; start < order.length; ) {
    let end = start;
    while (end < order.length && order[end]!.guess === order[start]!.guess) end++;
    const rank = (start + 1 + end) / 2;
    for (let i = start; i < end; i++) if (order[i]!.isPositive) rankSum += rank;
    start = end;
  }
  const positives = guesses.filter(({ isPositive }) => isPositive).length;
  const negatives = guesses.length - positives;
  return (rankSum - (positives * (positives + 1)) / 2) / (positives * negatives);
}
