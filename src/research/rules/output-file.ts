import { canonicalId, type TaskId } from '#core/model/scalars.ts';
import type { ReadEntry } from '../model/manifest.ts';
import { tasksOf } from './manifest.ts';

/** The file in which a subagent leaves its work. */
export interface Output {
  title?: string;
  /** `**Task**: T001` and the like, by name in small letters. */
  header: Map<string, string>;
  /** What stands under each heading of the second level, by its name in small letters. */
  sections: Map<string, string>;
  text: string;
}

export function readOutput(source: string): Output {
  const text = source.replace(/^\ufeff/, '').replaceAll('\r\n', '\n');
  const output: Output = { header: new Map(), sections: new Map(), text };
  let fence: string | undefined;
  let section: string | undefined;
  for (const line of text.split('\n')) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark && fence === undefined) fence = mark;
    else if (fence !== undefined && mark?.startsWith(fence) && /^[\s`~]*$/.test(line)) fence = undefined;
    // In a block of code nothing is a heading.
    const heading = fence === undefined && !mark ? /^(#{1,2})\s+(.*\S)/.exec(line) : undefined;
    if (heading?.[1] === '##') {
      section = heading[2]!.toLowerCase();
      output.sections.set(section, '');
    } else if (heading && output.title === undefined) output.title = heading[2]!;
    else if (section !== undefined) output.sections.set(section, `${output.sections.get(section)}${line}\n`);
    else if (fence === undefined) {
      const named = /^\*\*([A-Za-z ]+)(?::\*\*|\*\*\s*:)\s*(.*?)\s*$/.exec(line);
      if (named) output.header.set(named[1]!.toLowerCase(), named[2]!);
    }
  }
  return output;
}

export const hasSection = ({ sections }: Output, name: string): boolean => (sections.get(name)?.trim() ?? '') !== '';

export interface OutputProblem {
  /** What of the file: title, task, epic, date, status, summary, content. */
  part: string;
  problem: string;
  /** The file says something else than its line, or than cleo; it does not just lack something. */
  isContrary?: true;
}

/** What an output file lacks, and where it says something else than its line. `epicOf`: the epic that a task is in, where there is one. */
export function outputProblems(output: Output, entry: ReadEntry, epicOf: (taskId: TaskId) => TaskId | undefined): OutputProblem[] {
  const problems: OutputProblem[] = [];
  const lacks = (part: string, problem: string): void => void problems.push({ part, problem });
  const differs = (part: string, problem: string): void => void problems.push({ part, problem, isContrary: true });
  const said = (part: string): string | undefined => output.header.get(part) || undefined;

  if (output.title === undefined) lacks('title', 'has no title: # Title');
  const task = canonicalId(said('task') ?? '');
  if (said('task') === undefined) lacks('task', 'has no **Task**: T### in its header');
  else if (task === undefined || !tasksOf(entry).includes(task))
    differs('task', `says **Task**: ${shown(said('task'))}; its line has ${tasksOf(entry).join(', ') || 'none'}`);
  const epic = task && tasksOf(entry).includes(task) ? epicOf(task) : undefined;
  if (said('epic') === undefined) lacks('epic', 'has no **Epic**: T### in its header');
  else if (epic !== undefined && canonicalId(said('epic')!) !== epic)
    differs('epic', `says **Epic**: ${shown(said('epic'))}; ${task} is in ${epic}`);
  for (const part of ['date', 'status'] as const)
    if (said(part) === undefined) lacks(part, `has no **${part === 'date' ? 'Date' : 'Status'}** in its header`);
    else if (said(part) !== entry[part]) differs(part, `says ${shown(said(part))}; its line says ${entry[part] ?? 'nothing'}`);
  for (const [part, name] of [
    ['summary', 'Summary'],
    ['content', 'Content'],
  ] as const)
    if (!hasSection(output, part)) lacks(part, output.sections.has(part) ? `has nothing under ## ${name}` : `has no ## ${name}`);
  return problems;
}

const shown = (text: string | undefined): string => (text ?? '').slice(0, 60);
