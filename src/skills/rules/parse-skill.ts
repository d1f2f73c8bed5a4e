import { defined, isPlainObject } from '#lib/collections.ts';
import { checkJson } from '#lib/parse-json.ts';
import { estimateTokens } from '#lib/tokens.ts';
import { parseFrontMatter } from '#lib/yaml/front-matter.ts';
import { isProtocol, type ProtocolName, protocolNames } from '../model/protocol.ts';
import type { Skill, SkillFinding, SkillRow } from '../model/skill.ts';
import { tokenNames } from '../model/template-tokens.ts';

type SkillRemark = Pick<SkillFinding, 'severity' | 'message'>;

/** Result of parsing a SKILL.md. `skill` is absent if a remark is an error. */
interface ParsedSkill {
  skill?: Omit<Skill, 'path' | 'origin' | 'shadows'>;
  remarks: SkillRemark[];
}

const namePattern = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const tagPattern = /^[a-z0-9._:/-]{1,50}$/;
const conventionFields = new Set(['name', 'description', 'license', 'compatibility', 'metadata', 'allowed-tools']);
const metadataTexts = ['version', 'category', 'protocol', 'lastReviewed', 'stability'];
const stabilities = ['stable', 'beta', 'experimental', 'deprecated'];
/** Maximum that the Agent Skills convention recommends for SKILL.md. */
const maxSkillTokens = 5000;

/** Parses a SKILL.md according to the Agent Skills convention: `name`, `description`, and under `metadata` the fields for dispatch.
 *  The name must equal `folder`, if given. */
export function parseSkill(folder: string | undefined, source: string): ParsedSkill {
  const remarks: SkillRemark[] = [];
  const addError = (message: string): void => void remarks.push({ severity: 'error', message });
  const addWarning = (message: string): void => void remarks.push({ severity: 'warning', message });
  const frontMatter = parseFrontMatter(source);
  if ('problem' in frontMatter) return { remarks: [{ severity: 'error', message: frontMatter.problem }] };
  const { fields } = frontMatter;
  const { metadata = {} } = fields;
  if (!isPlainObject(metadata)) return { remarks: [{ severity: 'error', message: 'metadata is not a map of names and values' }] };
  const text = frontMatter.body.trim();

  const name = toText(fields.name);
  if (name === undefined) addError('name is missing');
  else if (!namePattern.test(name) || name.length > 64)
    addError(`name must be 1-64 of a-z, 0-9 and single hyphens, not ${quoteText(name)}`);
  else if (folder !== undefined && name !== folder) addError(`name is ${name}, but its folder is ${quoteText(folder)}`);
  const description = toText(fields.description);
  if (description === undefined) addError('description is missing');
  else if (description.length > 1024) addError('description has more than 1,024 characters');
  if (text === '') addError('there is no text after the front matter');
  if (/\0/.test(source)) addError('contains NUL');
  const protocol = toText(metadata.protocol);
  if (protocol !== undefined && !isProtocol(protocol))
    addError(`protocol ${quoteText(protocol)} is not one of ${protocolNames.join(', ')}`);
  const tags = toList(metadata.tags);
  const triggers = toList(metadata.triggers);
  if (!tags || !triggers) addError('tags and triggers must be lists or comma-separated words');

  for (const tag of tags ?? []) if (!tagPattern.test(tag)) addWarning(`tag ${quoteText(tag)} cannot match any label`);
  for (const key of Object.keys(fields))
    if (!conventionFields.has(key)) addWarning(`${quoteText(key)} is not a field of the convention; move it below metadata`);
  for (const key of metadataTexts) if (metadata[key] !== undefined && !toText(metadata[key])) addWarning(`${key} is not text`);
  const version = toText(metadata.version);
  if (version !== undefined && !/^\d+(\.\d+){0,2}(-[\w.]+)?$/.test(version)) addWarning(`version ${quoteText(version)} is not a version`);
  const lastReviewed = toText(metadata.lastReviewed);
  if (lastReviewed !== undefined && !/^\d{4}-\d{2}-\d{2}(T|$)/.test(lastReviewed))
    addWarning(`lastReviewed ${quoteText(lastReviewed)} is not a date`);
  const stability = toText(metadata.stability);
  if (stability !== undefined && !stabilities.includes(stability))
    addWarning(`stability ${quoteText(stability)} is not one of ${stabilities.join(', ')}`);
  for (const token of findUnknownTokens(text)) addWarning(`{{${token}}} is an unknown token; a spawn with it fails`);
  if (estimateTokens(text) > maxSkillTokens) addWarning(`the text is longer than ${maxSkillTokens} tokens`);

  if (remarks.some(({ severity }) => severity === 'error')) return { remarks };
  return {
    skill: {
      name: name!,
      description: description!,
      ...defined({ version, category: toText(metadata.category) }),
      tags: tags!,
      triggers: triggers!,
      ...defined({ protocol: protocol as ProtocolName | undefined, lastReviewed, stability }),
      text,
    },
    remarks,
  };
}

/** Finds tokens without a value. `${{ … }}` is the syntax of other tools. */
const findUnknownTokens = (text: string): string[] =>
  [...new Set([...text.matchAll(/(?<!\$)\{\{[ \t]*([A-Za-z]\w*)[ \t]*\}\}/g)].map(([, name]) => name!))].filter(
    (name) => !tokenNames.some((each) => each === name),
  );

const conditions = ['phase', 'size', 'stage', 'protocol'] as const;

/** Parses a skill catalog: rows that map tasks to skills, and the order of skills that match equally well. */
export function parseSkillCatalog(source: string): { order: string[]; rows: SkillRow[]; remarks: SkillRemark[] } {
  const createFailure = (message: string) => ({ order: [], rows: [], remarks: [{ severity: 'error' as const, message }] });
  const parsed = checkJson(source);
  if ('problem' in parsed) return createFailure(`is not JSON: ${parsed.problem}`);
  if (!isPlainObject(parsed.value)) return createFailure('is not an object');
  const { order = [], rows = [] } = parsed.value;
  if (!Array.isArray(order) || order.some((name) => typeof name !== 'string')) return createFailure('order is not a list of names');
  if (!Array.isArray(rows)) return createFailure('rows is not a list');
  const remarks: SkillRemark[] = [];
  const validRows = rows.filter((row, i) => {
    const problem = checkRow(row);
    if (problem) remarks.push({ severity: 'error', message: `row ${i + 1} ${problem}` });
    return !problem;
  });
  return { order, rows: validRows, remarks };
}

function checkRow(row: unknown): string | undefined {
  if (!isPlainObject(row) || Object.values(row).some((value) => typeof value !== 'string')) return 'is not an object of strings';
  if (row.skill === undefined) return 'names no skill';
  const unknownKey = Object.keys(row).find((key) => key !== 'skill' && !conditions.some((field) => field === key));
  if (unknownKey) return `has the unknown condition ${quoteText(unknownKey)}; use ${conditions.join(', ')}`;
  if (!conditions.some((field) => row[field] !== undefined)) return 'has no condition';
  if (row.protocol !== undefined && !isProtocol(row.protocol as string))
    return `has the unknown protocol ${quoteText(row.protocol as string)}`;
  return undefined;
}

/** Trims a text and joins its lines; undefined if it is empty or not text. */
const toText = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value.trim().replace(/\s+/g, ' ') : undefined;

/** Reads a list. The convention allows only strings, so `a, b` is a list, too. */
function toList(value: unknown): string[] | undefined {
  const parts = value === undefined ? [] : typeof value === 'string' ? value.split(',') : value;
  if (!Array.isArray(parts) || parts.some((part) => typeof part !== 'string')) return undefined;
  return [...new Set(parts.map((part: string) => part.trim()).filter((part) => part !== ''))];
}

/** Quotes a text from a file, shortened to fit in one line. */
const quoteText = (text: string): string => JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
