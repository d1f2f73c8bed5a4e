/** A task as text in an editor: one line per field between two lines of dashes, then the description. */
export interface EditedTaskText {
  fields: Record<string, string>;
  description: string;
}

interface TaskTextProblem {
  problem: string;
  line: number;
}

const fence = '---';

/** Formats the text that an editor opens. Lines that begin with # among the fields are comments. */
export function formatTaskText({ fields, description }: EditedTaskText, comment: string): string {
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`.trimEnd());
  return `${[fence, `# ${comment}`, ...lines, fence, '', description].join('\n').trimEnd()}\n`;
}

/** Parses a text from an editor. A field whose line is missing stays as it is. */
export function parseTaskText(text: string, names: string[]): EditedTaskText | TaskTextProblem {
  const lines = text.replace(/^\ufeff/, '').split(/\r\n|\n|\r/);
  const start = lines.findIndex((line) => line.trim() !== '');
  if (lines[start]?.trim() !== fence) return { problem: `the text must begin with a line ${fence}`, line: Math.max(0, start) + 1 };
  const end = lines.findIndex((line, i) => i > start && line.trim() === fence);
  if (end < 0) return { problem: `the line ${fence} below the fields is missing`, line: lines.length };
  const fields: Record<string, string> = {};
  for (const [i, line] of lines.slice(start + 1, end).entries()) {
    const number = start + i + 2;
    if (line.trim() === '' || line.trimStart().startsWith('#')) continue;
    const [, name = '', value = ''] = /^\s*([A-Za-z][\w-]*)\s*:(.*)$/.exec(line) ?? [];
    if (!name) return { problem: `${JSON.stringify(line.slice(0, 60))} is not a field; write "name: value"`, line: number };
    if (!names.includes(name)) return { problem: `there is no field ${JSON.stringify(name)}; fields: ${names.join(', ')}`, line: number };
    if (name in fields) return { problem: `${name} is given twice`, line: number };
    fields[name] = value.trim();
  }
  const description = lines
    .slice(end + 1)
    .join('\n')
    .replace(/^\s*\n/, '')
    .trimEnd();
  return { fields, description };
}

/** Returns the parameters that turn one text into the other; a problem if a field cannot be empty. The value `none` clears a field of
 *  `clearable`. */
export function listTextChanges(
  before: EditedTaskText,
  after: EditedTaskText,
  { lists, clearable, body }: { lists: string[]; clearable: string[]; body: string },
): { changes: Record<string, unknown> } | { problem: string } {
  const changes: Record<string, unknown> = {};
  const split = (text: string): string[] =>
    text
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '');
  for (const [name, value] of Object.entries(after.fields)) {
    const known = before.fields[name] ?? '';
    const isList = lists.includes(name);
    if (isList ? split(value).join() === split(known).join() : value === known) continue;
    if (isList) changes[name] = split(value);
    else if (value !== '') changes[name] = value;
    else if (clearable.includes(name)) changes[name] = 'none';
    else return { problem: `${name} cannot be empty` };
  }
  if (after.description !== before.description) changes[body] = after.description;
  return { changes };
}
