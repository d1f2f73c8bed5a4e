import { drawHanging, type Fields, isRecords, narrowScreen, type Screen, toOneLine, truncate, wrap } from '#core/terminal/index.ts';
import { isPlainObject } from '#lib/collections.ts';
import { drawFinding, drawHandoffCheck, drawSections } from './construct.ts';
import { drawRun } from './run.ts';

const maxFindings = 20;

/** Draws the details of a skill error: findings, missing sections, the run, the handoff, and the remediation. */
export function drawSkillError(details: Fields, message: string, screen: Screen): string[] {
  const { run, handoff, missing, remediation, findings } = details;
  const inner = narrowScreen(screen, 2);
  const drawIndented = (lines: string[]): string[] => ['', ...lines.map((line) => `  ${line}`)];
  const all = isRecords(findings) ? findings : [];
  const isInMessage = all.length === 1 && message.includes(String(all[0]!.problem ?? all[0]!.message));
  const parts = [
    ...(isInMessage ? [] : all.slice(0, maxFindings).flatMap((finding) => drawFinding(finding, screen))),
    ...(all.length > maxFindings ? [screen.paint('dim', `    and ${all.length - maxFindings} more`)] : []),
    ...(isRecords(missing) ? ['', ...drawSections(missing, screen)] : []),
    ...(isPlainObject(run) && isRecords(run.executions) ? drawIndented(drawRun(run, inner)) : []),
    ...(isPlainObject(handoff) && 'accepted' in handoff ? drawIndented(drawHandoffCheck(handoff, inner)) : []),
    ...(typeof remediation === 'string' ? ['', ...drawRemediation(remediation, screen)] : []),
  ];
  return parts.includes('') ? [...parts, ''] : parts;
}

/** Draws the steps of a remediation, one on a line. CLEO writes them as `path: this; that`. */
function drawRemediation(text: string, screen: Screen): string[] {
  const { paint, columns } = screen;
  const items = text.split('\n').flatMap((line) => {
    const [, path, rest = ''] = /^(\S+): (.*)$/s.exec(line) ?? [];
    if (path === undefined) return wrap(line, columns - 4).map((part) => `    ${part}`);
    return [`    ${truncate(toOneLine(path), columns - 4)}`, ...rest.split('; ').flatMap((item) => drawHanging('      - ', item, screen))];
  });
  return [paint('bold', '  first'), ...items];
}
