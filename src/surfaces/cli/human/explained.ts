import { type Fields, isFields, isRecords } from './cell.ts';
import { finding, handoffCheck, sectionLines } from './construct.ts';
import { remedy, run } from './run.ts';
import { narrower, type Screen } from './screen.ts';

const most = 20;

/** What there is to say of a refusal beside its reason: what is wrong where, what ran before, what to do first. */
export function explained(details: Fields, message: string, screen: Screen): string[] {
  const { run: ran, handoff, missing, remediation, findings } = details;
  const inner = narrower(screen, 2);
  const shifted = (lines: string[]): string[] => ['', ...lines.map((line) => `  ${line}`)];
  const found = isRecords(findings) ? findings : [];
  const isSaid = found.length === 1 && message.includes(String(found[0]!.problem ?? found[0]!.message));
  const parts = [
    ...(isSaid ? [] : found.slice(0, most).flatMap((one) => finding(one, screen))),
    ...(found.length > most ? [screen.paint('dim', `    and ${found.length - most} more`)] : []),
    ...(isRecords(missing) ? ['', ...sectionLines(missing, screen)] : []),
    ...(isFields(ran) && isRecords(ran.executions) ? shifted(run(ran, inner)) : []),
    ...(isFields(handoff) && 'accepted' in handoff ? shifted(handoffCheck(handoff, inner)) : []),
    ...(typeof remediation === 'string' ? ['', ...remedy(remediation, screen)] : []),
  ];
  return parts.includes('') ? [...parts, ''] : parts;
}
