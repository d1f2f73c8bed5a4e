/** A prediction and the actual outcome. */
export interface ScoredGuess {
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
