import type { ExecutionFacts } from '../model/assessment.ts';
import { few, type Points } from './score.ts';

/** 20 points, less what each departure from the process costs; never below 0. */
export function compliance({ forced, rejections, warnings }: ExecutionFacts): Points {
  const of = (code: string): string[] => warnings.filter((warning) => warning.code === code).map(({ message }) => `${code}: ${message}`);
  const writes = of('undeclared_write');
  const codes = of('undeclared_exit_code');
  const claims = of('status_mismatch');
  const losses: [points: number, reasons: string[]][] = [
    [5 * forced.length, forced.map((gate) => `gate ${gate} was forced`)],
    [5 * rejections.length, rejections.map(({ from, to, reason }) => `handoff from ${from} to ${to} was rejected: ${reason}`)],
    [Math.min(9, 3 * writes.length), few(writes)],
    [codes.length > 0 ? 2 : 0, codes],
    [claims.length > 0 ? 2 : 0, claims],
  ];
  const lost = losses.filter(([points]) => points > 0);
  return {
    score: Math.max(0, 20 - lost.reduce((sum, [points]) => sum + points, 0)),
    evidence: lost.length === 0 ? ['nothing breaks the rules'] : lost.map(([points, [reason = '', ...more]]) => told(points, reason, more)),
    flags: lost.flatMap(([, reasons]) => reasons),
  };
}

const told = (points: number, reason: string, more: string[]): string =>
  `-${points} ${reason}${more.length > 0 ? ` (and ${more.length} more)` : ''}`;
