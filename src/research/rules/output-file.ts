import { parseTaskId, type TaskId } from '#core/model/scalars.ts';
import { stripBom } from '#lib/parse-json.ts';
import type { ParsedEntry } from '../model/manifest.ts';
import { listEntryTasks } from './manifest.ts';

/** Output file of a subagent. */
export interface OutputFile {
  title?: string;
  /** Header fields such as `**Task**: T001`, by lower-case name. */
  header: Map<string, string>;
  /** Text below each `##` heading, by lower-case heading. */
  sections: Map<string, string>;
  text: string;
}

export function parseOutput(source: string): OutputFile {
  const text = stripBom(source).replaceAll('\r\n', '\n');
  const output: OutputFile = { header: new Map(), sections: new Map(), text };
  let fence: string | undefined;
  let section: string | undefined;
  for (const line of text.split('\n')) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark && fence === undefined) fence = mark;
    else if (fence !== undefined && mark?.startsWith(fence) && /^[\s`~]*$/.test(line)) fence = undefined;
    // A `#` line inside a code block is not a heading.
    const heading = fence === undefined && !mark ? /^(#{1,2})\s+(.*\S)/.exec(line) : undefined;
    if (heading?.[1] === '##') {
      section = heading[2]!.toLowerCase();
      output.sections.set(section, '');
    } else if (heading && output.title === undefined) output.title = heading[2]!;
    else if (section !== undefined) output.sections.set(section, `${output.sections.get(section)}${line}\n`);
    else if (fence === undefined) {
      const field = /^\*\*([A-Za-z ]+)(?::\*\*|\*\*\s*:)\s*(.*?)\s*$/.exec(line);
      if (field) output.header.set(field[1]!.toLowerCase(), field[2]!);
    }
  }
  return output;
}

export const hasSection = ({ sections }: OutputFile, name: string): boolean => (sections.get(name)?.trim() ?? '') !== '';

interface OutputProblem {
  /** Affected part: title, task, epic, date, status, summary or content. */
  part: string;
  problem: string;
  /** True if the file contradicts its entry or the task; otherwise something is missing. */
  isContradiction?: true;
}

/** Lists missing parts of an output file and contradictions to its entry. `getEpic` returns the epic that contains a task. */
export function checkOutput(output: OutputFile, entry: ParsedEntry, getEpic: (taskId: TaskId) => TaskId | undefined): OutputProblem[] {
  const problems: OutputProblem[] = [];
  const addMissing = (part: string, problem: string): void => void problems.push({ part, problem });
  const addContradiction = (part: string, problem: string): void => void problems.push({ part, problem, isContradiction: true });
  const getHeader = (part: string): string | undefined => output.header.get(part) || undefined;

  if (output.title === undefined) addMissing('title', 'has no title: # Title');
  const task = parseTaskId(getHeader('task') ?? '');
  if (getHeader('task') === undefined) addMissing('task', 'has no **Task**: T### in its header');
  else if (task === undefined || !listEntryTasks(entry).includes(task))
    addContradiction(
      'task',
      `says **Task**: ${truncateValue(getHeader('task'))}; its entry has ${listEntryTasks(entry).join(', ') || 'none'}`,
    );
  const epic = task && listEntryTasks(entry).includes(task) ? getEpic(task) : undefined;
  if (getHeader('epic') === undefined) addMissing('epic', 'has no **Epic**: T### in its header');
  else if (epic !== undefined && parseTaskId(getHeader('epic')!) !== epic)
    addContradiction('epic', `says **Epic**: ${truncateValue(getHeader('epic'))}; ${task} is in ${epic}`);
  for (const part of ['date', 'status'] as const)
    if (getHeader(part) === undefined) addMissing(part, `has no **${part === 'date' ? 'Date' : 'Status'}** in its header`);
    else if (getHeader(part) !== entry[part])
      addContradiction(part, `says ${truncateValue(getHeader(part))}; its entry says ${entry[part] ?? 'nothing'}`);
  for (const [part, name] of [
    ['summary', 'Summary'],
    ['content', 'Content'],
  ] as const)
    if (!hasSection(output, part)) addMissing(part, output.sections.has(part) ? `has no text under ## ${name}` : `has no ## ${name}`);
  return problems;
}

const truncateValue = (text: string | undefined): string => (text ?? '').slice(0, 60);
