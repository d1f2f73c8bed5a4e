export interface Sections {
  description: string;
  acceptance: { text: string; met: boolean }[];
  notes: { created?: string; author?: string; text: string }[];
}

/** The body of a task of Backlog.md. Its own sections go where they belong; what somebody else wrote stays in the description. */
export function sectionsOf(body: string): Sections {
  const found: Sections = { description: '', acceptance: [], notes: [] };
  const kept: string[] = [];
  for (const { heading, text } of split(body)) {
    const content = text.replace(marks, '').trim();
    const name = heading.toLowerCase();
    if (name === 'acceptance criteria' || name === 'definition of done') {
      const { items, others } = checklist(content);
      found.acceptance.push(...items);
      if (others) kept.push(`## ${heading}\n\n${others}`);
    } else if (name === 'comments') found.notes.push(...comments(content));
    else if (name === 'implementation notes' || name === 'final summary') {
      if (content) found.notes.push({ text: `${heading}:\n\n${content}` });
    } else if (heading === '' || name === 'description') kept.push(content);
    else kept.push(`## ${heading}\n\n${content}`.trim());
  }
  found.description = kept.filter(Boolean).join('\n\n');
  return found;
}

const marks = /^<!-- (?:SECTION:[A-Z_]+|AC|DOD|COMMENTS):(?:BEGIN|END) -->$\n?/gm;

/** By headings of the second level, but for those inside a code block or between the marks of a section. */
function split(body: string): { heading: string; text: string }[] {
  const parts = [{ heading: '', text: '' }];
  let fence = '';
  let isMarked = false;
  for (const line of body.split('\n')) {
    const sign = /^ {0,3}(```+|~~~+)/.exec(line)?.[1]?.slice(0, 3) ?? '';
    if (fence ? sign === fence : sign) fence = fence ? '' : sign;
    if (!fence && /^<!-- (SECTION:[A-Z_]+|COMMENTS):BEGIN -->$/.test(line)) isMarked = true;
    if (/^<!-- (SECTION:[A-Z_]+|COMMENTS):END -->$/.test(line)) isMarked = false;
    const heading = !fence && !isMarked ? /^## +(.+?)\s*$/.exec(line)?.[1] : undefined;
    if (heading !== undefined) parts.push({ heading, text: '' });
    else parts.at(-1)!.text += `${line}\n`;
  }
  return parts;
}

/** `- [x] #1 …`; in older files without the number. */
function checklist(content: string): { items: { text: string; met: boolean }[]; others: string } {
  const items: { text: string; met: boolean }[] = [];
  const others: string[] = [];
  for (const line of content.split('\n')) {
    const [, sign, text] = /^\s*[-*] \[([ xX])\] (?:#\d+ +)?(\S.*)$/.exec(line) ?? [];
    if (text) items.push({ text: text.trim(), met: sign !== ' ' });
    else if (line.trim()) others.push(line);
  }
  return { items, others: others.join('\n') };
}

/** `author:` and `created:`, three dashes, the text, three dashes. */
function comments(content: string): Sections['notes'] {
  const blocks = content.split(/^---$/m);
  const notes: Sections['notes'] = [];
  for (let i = 0; i + 1 < blocks.length; i += 2) {
    const text = blocks[i + 1]!.trim();
    const author = /^author: *(.+)$/m.exec(blocks[i]!)?.[1];
    const created = /^created: *(.+)$/m.exec(blocks[i]!)?.[1];
    if (text) notes.push({ ...(created ? { created } : {}), ...(author ? { author } : {}), text });
  }
  const odd = blocks.length % 2 === 1 ? blocks.at(-1)!.trim() : '';
  return odd ? [...notes, { text: odd }] : notes;
}
