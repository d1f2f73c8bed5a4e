/** A line through what is known: how much each feature speaks for a yes. */
export interface Learned {
  intercept: number;
  weights: number[];
  means: number[];
  deviations: number[];
}

export interface Example {
  /** Null where something is not known: it then counts as the mean, and says nothing. */
  features: (number | null)[];
  isYes: boolean;
}

const iterations = 500;
/** How strongly weights are held small: few examples shall not say much. */
const penalty = 1;

/** Logistic regression with an L2 penalty, by descent with momentum (Nesterov) and a fixed number of steps: the same examples give the same
 *  weights, and those that Newton's method comes to. */
export function learn(examples: Example[]): Learned {
  const width = examples[0]?.features.length ?? 0;
  const { means, deviations } = scaleOf(examples, width);
  const rows = examples.map(({ features }) => scaled(features, means, deviations));
  const count = examples.length;
  // No longer than the steepest the curve can be, so that a step never overshoots.
  const step = 1 / (0.25 * (width + 1) + penalty / count);
  let weights = new Array<number>(width).fill(0);
  let ahead = weights;
  let [intercept, aheadIntercept] = [0, 0];
  for (let round = 0; round < iterations; round++) {
    const slope = ahead.map((weight) => penalty * weight);
    let lift = 0;
    rows.forEach((row, n) => {
      const off = sigmoid(dot(aheadIntercept, ahead, row)) - (examples[n]!.isYes ? 1 : 0);
      lift += off;
      for (let i = 0; i < width; i++) slope[i]! += off * row[i]!;
    });
    const [before, weightsBefore] = [intercept, weights];
    intercept = aheadIntercept - (step * lift) / count;
    weights = ahead.map((weight, i) => weight - (step * slope[i]!) / count);
    const momentum = round / (round + 3);
    aheadIntercept = intercept + momentum * (intercept - before);
    ahead = weights.map((weight, i) => weight + momentum * (weight - weightsBefore[i]!));
  }
  return { intercept, weights, means, deviations };
}

/** How likely a yes is, from 0 to 1. */
export const predict = ({ intercept, weights, means, deviations }: Learned, features: Example['features']): number =>
  sigmoid(dot(intercept, weights, scaled(features, means, deviations)));

const scaled = (features: Example['features'], means: number[], deviations: number[]): number[] =>
  features.map((value, i) => (value === null ? 0 : (value - means[i]!) / deviations[i]!));

function scaleOf(examples: Example[], width: number): { means: number[]; deviations: number[] } {
  const columns = Array.from({ length: width }, (_, i) => examples.flatMap(({ features }) => features[i] ?? []));
  const means = columns.map((known) => known.reduce((sum, value) => sum + value, 0) / Math.max(1, known.length));
  const deviations = columns.map((known, i) => {
    const spread = Math.sqrt(known.reduce((sum, value) => sum + (value - means[i]!) ** 2, 0) / Math.max(1, known.length));
    // What is always the same says nothing, and must not divide by nothing.
    return spread < 1e-9 ? 1 : spread;
  });
  return { means, deviations };
}

const sigmoid = (value: number): number => 1 / (1 + Math.exp(-value));

function dot(start: number, weights: number[], row: number[]): number {
  let sum = start;
  for (let i = 0; i < row.length; i++) sum += weights[i]! * row[i]!;
  return sum;
}
