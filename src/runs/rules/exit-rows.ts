import type { ExecutionStatus } from '../model/execution.ts';
import type { ExitClass } from '../model/skill-exit.ts';
import { type ExitMeaning, meaningOf, retriedByDefault } from './exit-class.ts';

/** Codes that mean the same, as people look them up. */
export interface ExitRow {
  codes: string;
  name: string;
  class: ExitClass;
  status: ExecutionStatus;
  isRetried: boolean;
  action: string;
}

/** Every code from 0 to 255 with what it means where nobody says otherwise. */
export function exitRows(): ExitRow[] {
  const rows = new Map<string, { meant: ExitMeaning; codes: number[] }>();
  for (let code = 0; code <= 255; code += 1) {
    const meant = meaningOf(code);
    const name = meant.class === 'signal' ? 'signal' : meant.name;
    const same = rows.get(name);
    if (same) same.codes.push(code);
    else rows.set(name, { meant: { ...meant, name }, codes: [code] });
  }
  return [...rows.values()].map(({ meant, codes }) => ({
    ...{ codes: ranges(codes), name: meant.name, class: meant.class, status: meant.status },
    ...{ isRetried: retriedByDefault.includes(meant.class), action: meant.action },
  }));
}

function ranges(codes: number[]): string {
  const found: [first: number, last: number][] = [];
  for (const code of codes) {
    const last = found.at(-1);
    if (last?.[1] === code - 1) last[1] = code;
    else found.push([code, code]);
  }
  return found.map(([first, last]) => (first === last ? String(first) : `${first}-${last}`)).join(', ');
}
