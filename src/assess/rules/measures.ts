/** What was the case, and how likely it was held to be. */
export interface Guess {
  isYes: boolean;
  guess: number;
}

/** How good guesses are: how often a yes is guessed higher than a no (AUC), how far they are off, squared (Brier), and how often they are on
 *  the right side of a half. */
export function measured(guesses: Guess[]): { auc: number; brier: number; accuracy: number } {
  const off = guesses.reduce((sum, { isYes, guess }) => sum + (guess - (isYes ? 1 : 0)) ** 2, 0);
  const right = guesses.filter(({ isYes, guess }) => guess >= 0.5 === isYes).length;
  return { auc: areaUnder(guesses), brier: off / guesses.length, accuracy: right / guesses.length };
}

/** By ranks, so that it takes no longer than sorting; equal guesses count half. */
function areaUnder(guesses: Guess[]): number {
  const order = [...guesses].sort((one, other) => one.guess - other.guess);
  let rankSum = 0;
  for (let start = 0; start < order.length; ) {
    let end = start;
    while (end < order.length && order[end]!.guess === order[start]!.guess) end++;
    const rank = (start + 1 + end) / 2;
    for (let i = start; i < end; i++) if (order[i]!.isYes) rankSum += rank;
    start = end;
  }
  const yes = guesses.filter(({ isYes }) => isYes).length;
  const no = guesses.length - yes;
  return (rankSum - (yes * (yes + 1)) / 2) / (yes * no);
}
