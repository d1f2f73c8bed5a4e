import { readFrontMatter } from '#lib/front-matter.ts';
import { isMap } from '#lib/is-map.ts';
import { estimateTokens } from '#lib/tokens.ts';
import { type ProtocolName, protocolNames } from '../model/protocol.ts';
import type { Skill, SkillFinding, SkillRow } from '../model/skill.ts';
import { tokenNames } from '../model/template-tokens.ts';

export type Remark = Pick<SkillFinding, 'severity' | 'message'>;

/** A skill as its file says, without the place it was found in; none where a remark is an error. */
export interface ReadSkill {
  skill?: Omit<Skill, 'path' | 'origin' | 'shadows'>;
  remarks: Remark[];
}

const namePattern = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const tagPattern = /^[a-z0-9._:/-]{1,50}$/;
const known = new Set(['name', 'description', 'license', 'compatibility', 'metadata', 'allowed-tools']);
const ours = new Set(['version', 'category', 'tags', 'triggers', 'protocol', 'lastReviewed', 'stability']);
const stabilities = ['stable', 'beta', 'experimental', 'deprecated'];
/** What the convention recommends for a text that is loaded whole. */
const mostTokens = 5000;

/** Reads a SKILL.md after the Agent Skills convention: `name` and `description`, and under `metadata` what says when to take it.
 *  It is called like its folder, where that is told. */
export function readSkill(folder: string | undefined, source: string): ReadSkill {
  const remarks: Remark[] = [];
  const error = (message: string): void => void remarks.push({ severity: 'error', message });
  const warn = (message: string): void => void remarks.push({ severity: 'warning', message });
  const read = readFrontMatter(source);
  if ('problem' in read) return { remarks: [{ severity: 'error', message: read.problem }] };
  const { fields } = read;
  const metadata = fields.metadata === undefined ? {} : fields.metadata;
  if (!isMap(metadata)) return { remarks: [{ severity: 'error', message: 'metadata is no list of names and values' }] };
  const text = read.body.trim();

  const name = textOf(fields.name);
  if (name === undefined) error('name is missing');
  else if (!namePattern.test(name) || name.length > 64) error(`name must be 1-64 of a-z, 0-9 and single hyphens, not ${quoted(name)}`);
  else if (folder !== undefined && name !== folder) error(`name is ${name}, but its folder is called ${quoted(folder)}`);
  const description = textOf(fields.description);
  if (description === undefined) error('description is missing');
  else if (description.length > 1024) error('description has more than 1,024 characters');
  if (text === '') error('there is nothing behind the front matter');
  if (/\0/.test(source)) error('holds NUL');
  const protocol = textOf(metadata.protocol);
  if (protocol !== undefined && !isProtocolName(protocol)) error(`protocol ${quoted(protocol)} is none of ${protocolNames.join(', ')}`);
  const tags = listOf(metadata.tags);
  const triggers = listOf(metadata.triggers);
  if (!tags || !triggers) error('tags and triggers are lists, or words with commas between them');

  for (const tag of tags ?? []) if (!tagPattern.test(tag)) warn(`no label can equal the tag ${quoted(tag)}`);
  for (const key of Object.keys(fields)) if (!known.has(key)) warn(`${quoted(key)} is no field of the convention; put it under metadata`);
  for (const key of ours)
    if (!['tags', 'triggers'].includes(key) && metadata[key] !== undefined && !textOf(metadata[key])) warn(`${key} is no text`);
  const version = textOf(metadata.version);
  if (version !== undefined && !/^\d+(\.\d+){0,2}(-[\w.]+)?$/.test(version)) warn(`version ${quoted(version)} is no version`);
  const lastReviewed = textOf(metadata.lastReviewed);
  if (lastReviewed !== undefined && !/^\d{4}-\d{2}-\d{2}(T|$)/.test(lastReviewed)) warn(`lastReviewed ${quoted(lastReviewed)} is no date`);
  const stability = textOf(metadata.stability);
  if (stability !== undefined && !stabilities.includes(stability))
    warn(`stability ${quoted(stability)} is none of ${stabilities.join(', ')}`);
  for (const token of strangeTokens(text)) warn(`{{${token}}} is no token: a spawn with it is refused`);
  if (estimateTokens(text) > mostTokens) warn(`the text is longer than ${mostTokens} tokens`);

  if (remarks.some(({ severity }) => severity === 'error')) return { remarks };
  const category = textOf(metadata.category);
  return {
    skill: {
      name: name!,
      description: description!,
      ...(version ? { version } : {}),
      ...(category ? { category } : {}),
      tags: tags!,
      triggers: triggers!,
      ...(protocol ? { protocol: protocol as ProtocolName } : {}),
      ...(lastReviewed ? { lastReviewed } : {}),
      ...(stability ? { stability } : {}),
      text,
    },
    remarks,
  };
}

/** `${{ … }}` belongs to others. */
const strangeTokens = (text: string): string[] =>
  [...new Set([...text.matchAll(/(?<!\$)\{\{[ \t]*([A-Za-z]\w*)[ \t]*\}\}/g)].map(([, name]) => name!))].filter(
    (name) => !tokenNames.some((known) => known === name),
  );

const conditions = ['phase', 'size', 'stage', 'protocol'] as const;

/** A catalogue: the rows in which a task finds its skill, and the order of skills that fit alike. */
export function readCatalogue(source: string): { order: string[]; rows: SkillRow[]; remarks: Remark[] } {
  const none = (message: string) => ({ order: [], rows: [], remarks: [{ severity: 'error' as const, message }] });
  let read: unknown;
  try {
    read = JSON.parse(source);
  } catch (thrown) {
    return none(`is not JSON: ${(thrown as Error).message}`);
  }
  if (!isMap(read)) return none('is no object');
  const { order = [], rows = [] } = read;
  if (!Array.isArray(order) || order.some((name) => typeof name !== 'string')) return none('order is no list of names');
  if (!Array.isArray(rows)) return none('rows is no list');
  const remarks: Remark[] = [];
  const sound = rows.filter((row, i) => {
    const problem = problemOfRow(row);
    if (problem) remarks.push({ severity: 'error', message: `row ${i + 1} ${problem}` });
    return !problem;
  });
  return { order, rows: sound, remarks };
}

function problemOfRow(row: unknown): string | undefined {
  if (!isMap(row) || Object.values(row).some((value) => typeof value !== 'string')) return 'is no object of texts';
  if (row.skill === undefined) return 'names no skill';
  const foreign = Object.keys(row).find((key) => key !== 'skill' && !conditions.some((field) => field === key));
  if (foreign) return `asks for ${quoted(foreign)}, which is none of ${conditions.join(', ')}`;
  if (!conditions.some((field) => row[field] !== undefined)) return 'asks for nothing';
  if (row.protocol !== undefined && !isProtocolName(row.protocol as string))
    return `asks for a protocol that there is not: ${quoted(row.protocol as string)}`;
  return undefined;
}

const isProtocolName = (name: string): boolean => protocolNames.some((each) => each === name);

/** One line that is not empty, without what surrounds it. */
const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value.trim().replace(/\s+/g, ' ') : undefined;

/** The convention knows texts only, so `a, b` is a list; others write one. */
function listOf(value: unknown): string[] | undefined {
  const parts = value === undefined ? [] : typeof value === 'string' ? value.split(',') : value;
  if (!Array.isArray(parts) || parts.some((part) => typeof part !== 'string')) return undefined;
  return [...new Set(parts.map((part: string) => part.trim()).filter((part) => part !== ''))];
}

/** Of what others wrote no more than fits in a line. */
const quoted = (text: string): string => JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
