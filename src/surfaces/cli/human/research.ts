import type { Fields } from './cell.ts';
import type { Colour, Screen } from './screen.ts';
import { oneLine, wrap } from './text.ts';

const marks: Record<string, [Colour, string]> = { complete: ['green', '✓'], partial: ['yellow', '◐'], blocked: ['red', '✗'] };

/** Entries of the research manifest: how each ended and what it is about, where it belongs, and what it leaves to do. */
export function research(entries: Fields[], screen: Screen): string[] {
  const { paint, columns } = screen;
  const under = (text: string, colour: Colour): string[] => wrap(text, columns - 4).map((line) => `    ${paint(colour, line)}`);
  return entries.flatMap(({ id, title, status, date, agent_type, topics, linked_tasks, needs_followup }) => {
    const [colour, mark] = marks[String(status)] ?? ['dim', '·'];
    const [first = '', ...rest] = wrap(oneLine(String(title ?? '')), columns - 2);
    const list = (value: unknown): string => (Array.isArray(value) ? value.map((item) => oneLine(String(item))).join(', ') : '');
    const about = [status, date, agent_type, list(linked_tasks), list(topics)].filter((part) => part !== undefined && part !== '');
    return [
      `${paint(colour, mark)} ${paint('bold', first)}`,
      ...rest.map((line) => `  ${paint('bold', line)}`),
      // Never cut: it is there to be copied.
      `    ${paint('cyan', oneLine(String(id)))}`,
      ...under(about.map((part) => oneLine(String(part))).join(' · '), 'dim'),
      ...(Array.isArray(needs_followup) ? needs_followup.flatMap((left) => under(`→ ${oneLine(String(left))}`, 'yellow')) : []),
    ];
  });
}
