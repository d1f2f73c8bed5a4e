import type { ExecutionStatus } from '../model/execution.ts';
import type { ExitClass } from '../model/skill-exit.ts';
import { defaultRetryOn, type ExitMeaning, explainExit } from './skill-contract.ts';

/** Exit codes with the same meaning, as one row of the table. */
interface ExitRow {
  codes: string;
  name: string;
  class: ExitClass;
  status: ExecutionStatus;
  isRetried: boolean;
  action: string;
}

/** The default meaning of every exit code from 0 to 255. */
export function listExitRows(): ExitRow[] {
  const rows = new Map<string, { meaning: ExitMeaning; codes: number[] }>();
  for (let code = 0; code <= 255; code += 1) {
    const meaning = explainExit(code);
    const name = meaning.class === 'signal' ? 'signal' : meaning.name;
    const same = rows.get(name);
    if (same) same.codes.push(code);
    else rows.set(name, { meaning: { ...meaning, name }, codes: [code] });
  }
  return [...rows.values()].map(({ meaning, codes }) => ({
    codes: formatRanges(codes),
    name: meaning.name,
    class: meaning.class,
    status: meaning.status,
    isRetried: defaultRetryOn.includes(meaning.class),
    action: meaning.action,
  }));
}

function formatRanges(codes: number[]): string {
  const merged: [first: number, last: number][] = [];
  for (const code of codes) {
    const last = merged.at(-1);
    if (last?.[1] === code - 1) last[1] = code;
    else merged.push([code, code]);
  }
  return merged.map(([first, last]) => (first === last ? String(first) : `${first}-${last}`)).join(', ');
}
