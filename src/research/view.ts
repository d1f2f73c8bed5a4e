import {
  type Colour,
  drawRecords,
  type Fields,
  joinParts,
  type Screen,
  toListForm,
  toOneLine,
  type View,
  wrap,
} from '#core/terminal/index.ts';

export const researchView: View = { forms: { entries: toListForm(drawEntries) } };

const marks: Record<string, [Colour, string]> = { complete: ['green', '✓'], partial: ['yellow', '◐'], blocked: ['red', '✗'] };

/** Draws entries of the research manifest: title and id, then status, tasks and topics, then the follow-ups. */
function drawEntries(entries: Fields[], screen: Screen): string[] {
  if (!entries[0] || !('linked_tasks' in entries[0])) return drawRecords(entries, screen);
  const { paint, columns } = screen;
  const drawIndented = (text: string, colour: Colour): string[] => wrap(text, columns - 4).map((line) => `    ${paint(colour, line)}`);
  return entries.flatMap(({ id, title, status, date, agent_type, topics, linked_tasks, needs_followup }) => {
    const [colour, mark] = marks[String(status)] ?? ['dim', '·'];
    const [first = '', ...rest] = wrap(toOneLine(String(title ?? '')), columns - 2);
    const join = (value: unknown): string => (Array.isArray(value) ? value.map((item) => toOneLine(String(item))).join(', ') : '');
    const about = [status, date, agent_type, join(linked_tasks), join(topics)];
    return [
      `${paint(colour, mark)} ${paint('bold', first)}`,
      ...rest.map((line) => `  ${paint('bold', line)}`),
      // Never cut, so that it can be copied.
      `    ${paint('cyan', toOneLine(String(id)))}`,
      ...drawIndented(joinParts(about), 'dim'),
      ...(Array.isArray(needs_followup) ? needs_followup.flatMap((left) => drawIndented(`→ ${toOneLine(String(left))}`, 'yellow')) : []),
    ];
  });
}
