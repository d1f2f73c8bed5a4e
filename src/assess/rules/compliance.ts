import type { ExecutionFacts } from '../model/assessment.ts';
import { type DimensionPoints, limitList } from './score.ts';

/** Starts at 20 points and subtracts the cost of each violation of the process, down to 0. */
export function scoreCompliance({ forced, rejections, warnings }: ExecutionFacts): DimensionPoints {
  const listWarnings = (code: string): string[] =>
    warnings.filter((warning) => warning.code === code).map(({ message }) => `${code}: ${message}`);
  const writes = listWarnings('undeclared_write');
  const codes = listWarnings('undeclared_exit_code');
  const claims = listWarnings('status_mismatch');
  const losses: [points: number, reasons: string[]][] = [
    [5 * forced.length, forced.map((gate) => `${gate} gate was forced`)],
    [5 * rejections.length, rejections.map(({ from, to, reason }) => `handoff from ${from} to ${to} was rejected: ${reason}`)],
    [Math.min(9, 3 * writes.length), limitList(writes)],
    [codes.length > 0 ? 2 : 0, codes],
    [claims.length > 0 ? 2 : 0, claims],
  ];
  const lost = losses.filter(([points]) => points > 0);
  return {
    score: Math.max(0, 20 - lost.reduce((sum, [points]) => sum + points, 0)),
    evidence: lost.length === 0 ? ['no violations'] : lost.map(([points, [reason = '', ...more]]) => formatLoss(points, reason, more)),
    flags: lost.flatMap(([, reasons]) => reasons),
  };
}

const formatLoss = (points: number, reason: string, more: string[]): string =>
  `-${points} ${reason}${more.length > 0 ? ` (and ${more.length} more)` : ''}`;
