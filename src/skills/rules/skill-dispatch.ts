import type { TaskType } from '#core/model/scalars.ts';
import { terms } from '#lib/terms.ts';
import { type ProtocolName, protocolNames, protocolTable } from '../model/protocol.ts';
import type { Skill, SkillRow } from '../model/skill.ts';

export type SkillRule = 'label' | 'catalogue' | 'type' | 'keyword' | 'fallback';

/** What is asked about a task. */
export interface SkillTask {
  type: TaskType;
  title: string;
  description?: string | undefined;
  labels: string[];
  phase?: string | undefined;
  size?: string | undefined;
  /** The stage of the lifecycle that its epic is in. */
  stage?: string | undefined;
  /** The protocol it is to follow, whatever else it says; without one a label like `protocol:research` declares it. */
  protocol?: ProtocolName | undefined;
}

export interface SkillMatch {
  skill: string;
  rule: SkillRule;
  /** What matched, in words. */
  match: string;
}

export interface SkillChoice {
  skill: Skill;
  rule: SkillRule;
  match: string;
  protocol: ProtocolName;
  /** Other skills that would have done, each by the first rule that names it. */
  alsoMatched: SkillMatch[];
}

export const fallbackSkill = 'ct-task-executor';

/** Who works by a protocol. */
export function skillOfProtocol(protocol: ProtocolName): string {
  if (protocol === 'research') return 'ct-research-agent';
  if (protocol === 'consensus') return 'ct-validator';
  if (protocol === 'specification') return 'ct-spec-writer';
  if (protocol === 'decomposition') return 'ct-epic-architect';
  return fallbackSkill;
}

/** The skill for a task. Five rules, the first that finds one decides: a label that is a tag; a row of the catalogue; the type;
 *  triggers and keywords, in the title and then in the description; else the fallback. Where one rule finds several, the
 *  first in the order of `skills` is taken, which are those in force, `ct-task-executor` among them. */
export function skillFor(task: SkillTask, skills: Skill[], rows: SkillRow[]): SkillChoice {
  const declared = task.protocol ?? declaredProtocol(task.labels);
  const found = [
    ...byLabel(task.labels, skills),
    ...byRow({ ...task, protocol: declared }, rows),
    ...byType(task.type),
    ...byWords('title', task.title, skills),
    ...byWords('description', task.description ?? '', skills),
  ].flatMap((match) => {
    const skill = skills.find(({ name }) => name === match.skill);
    return skill ? [{ ...match, skill }] : [];
  });
  const none: Found = { skill: skills.find(({ name }) => name === fallbackSkill)!, rule: 'fallback', match: 'nothing else' };
  const { skill, rule, match, protocol = skill.protocol ?? 'implementation' } = found[0] ?? none;
  const others = found.filter((other, i) => other.skill !== skill && found.findIndex((first) => first.skill === other.skill) === i);
  return {
    skill,
    rule,
    match,
    protocol: declared ?? protocol,
    alsoMatched: others.map((other) => ({ skill: other.skill.name, rule: other.rule, match: other.match })),
  };
}

interface Named extends SkillMatch {
  /** Where it is not the skill's own. */
  protocol?: ProtocolName;
}
type Found = Omit<Named, 'skill'> & { skill: Skill };

const declaration = 'protocol:';

function declaredProtocol(labels: string[]): ProtocolName | undefined {
  return protocolNames.find((name) => labels.includes(declaration + name));
}

const byLabel = (labels: string[], skills: Skill[]): Named[] =>
  skills.flatMap(({ name, tags }) => {
    const label = labels.find((each) => each === name || tags.includes(each));
    return label === undefined ? [] : [{ skill: name, rule: 'label' as const, match: label }];
  });

function byRow(task: SkillTask, rows: SkillRow[]): Named[] {
  return rows.flatMap(({ skill, ...asked }) => {
    const conditions = Object.entries(asked) as [keyof typeof asked, string][];
    if (conditions.length === 0 || conditions.some(([field, value]) => task[field] !== value)) return [];
    return [{ skill, rule: 'catalogue' as const, match: conditions.map(([field, value]) => `${field} ${value}`).join(', ') }];
  });
}

/** What has parts is to be taken apart. */
const byType = (type: TaskType): Named[] =>
  type === 'epic' || type === 'saga' ? [{ ...byProtocol('decomposition'), rule: 'type', match: type }] : [];

function byWords(place: string, text: string, skills: Skill[]): Named[] {
  const words = spaced(text.replace(fileName, ' '));
  const says = (phrase: string): boolean => spaced(phrase).length > 1 && words.includes(spaced(phrase));
  const match = (phrase: string): Pick<Named, 'rule' | 'match'> => ({ rule: 'keyword', match: `${phrase} in the ${place}` });
  const triggered = skills.flatMap(({ name, triggers }) => {
    const trigger = triggers.find(says);
    return trigger === undefined ? [] : [{ skill: name, ...match(trigger) }];
  });
  const keyed = protocolNames.flatMap((protocol) => {
    const keyword = protocolTable[protocol].keywords.find(says);
    return keyword === undefined ? [] : [{ ...byProtocol(protocol), ...match(keyword) }];
  });
  return [...triggered, ...keyed];
}

const byProtocol = (protocol: ProtocolName): Pick<Named, 'skill' | 'protocol'> => ({ skill: skillOfProtocol(protocol), protocol });

/** Whole words between spaces, as search sees words. */
const spaced = (text: string): string => ` ${terms(text).join(' ')} `.replace(/^ +$/, ' ');

/** `parser.spec.ts` is about a file, not about a specification. */
const fileName = /\S*[^\s.]\.[a-z][a-z0-9]{0,9}(?![\w.])/gi;
