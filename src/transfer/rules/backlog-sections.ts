import { defined } from '#lib/defined.ts';
import { joinParagraphs } from './source-values.ts';

interface BacklogSections {
  description: string;
  acceptance: { text: string; met: boolean }[];
  notes: { created?: string; author?: string; text: string }[];
}

/** Parses the body of a Backlog.md task. Unknown sections become part of the description. */
export function parseSections(body: string): BacklogSections {
  const sections: BacklogSections = { description: '', acceptance: [], notes: [] };
  const description: string[] = [];
  for (const { heading, text } of splitByHeading(body)) {
    const content = text.replace(markers, '').trim();
    const name = heading.toLowerCase();
    if (name === 'acceptance criteria' || name === 'definition of done') {
      const { items, others } = parseChecklist(content);
      sections.acceptance.push(...items);
      if (others) description.push(`## ${heading}\n\n${others}`);
    } else if (name === 'comments') sections.notes.push(...parseComments(content));
    else if (name === 'implementation notes' || name === 'final summary') {
      if (content) sections.notes.push({ text: `${heading}:\n\n${content}` });
    } else if (heading === '' || name === 'description') description.push(content);
    else description.push(`## ${heading}\n\n${content}`.trim());
  }
  sections.description = joinParagraphs(...description);
  return sections;
}

const markers = /^<!-- (?:SECTION:[A-Z_]+|AC|DOD|COMMENTS):(?:BEGIN|END) -->$\n?/gm;

/** Splits at headings of level 2, except inside a code block or between the markers of a section. */
function splitByHeading(body: string): { heading: string; text: string }[] {
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

/** Parses `- [x] #1 …`; older files have no number. */
function parseChecklist(content: string): { items: { text: string; met: boolean }[]; others: string } {
  const items: { text: string; met: boolean }[] = [];
  const others: string[] = [];
  for (const line of content.split('\n')) {
    const [, sign, text] = /^\s*[-*] \[([ xX])\] (?:#\d+ +)?(\S.*)$/.exec(line) ?? [];
    if (text) items.push({ text: text.trim(), met: sign !== ' ' });
    else if (line.trim()) others.push(line);
  }
  return { items, others: others.join('\n') };
}

/** A comment is `author:` and `created:`, three dashes, the text, three dashes. */
function parseComments(content: string): BacklogSections['notes'] {
  const blocks = content.split(/^---$/m);
  const notes: BacklogSections['notes'] = [];
  for (let i = 0; i + 1 < blocks.length; i += 2) {
    const text = blocks[i + 1]!.trim();
    const author = /^author: *(.+)$/m.exec(blocks[i]!)?.[1];
    const created = /^created: *(.+)$/m.exec(blocks[i]!)?.[1];
    if (text) notes.push(defined({ created, author, text }));
  }
  const odd = blocks.length % 2 === 1 ? blocks.at(-1)!.trim() : '';
  return odd ? [...notes, { text: odd }] : notes;
}
