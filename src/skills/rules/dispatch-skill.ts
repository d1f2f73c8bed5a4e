import type { TaskType } from '#core/model/scalars.ts';
import { toTerms } from '#lib/terms.ts';
import { type ProtocolName, protocolNames, protocolTable } from '../model/protocol.ts';
import type { Skill, SkillMatch, SkillRow } from '../model/skill.ts';

/** Properties of a task that decide its skill. */
export interface SkillTask {
  type: TaskType;
  title: string;
  description?: string | undefined;
  labels: string[];
  phase?: string | undefined;
  size?: string | undefined;
  /** Lifecycle stage of the task's epic. */
  stage?: string | undefined;
  /** Protocol that the task must follow. A label such as `protocol:research` declares one, too. */
  protocol?: ProtocolName | undefined;
}

export interface SkillChoice extends Omit<SkillMatch, 'skill'> {
  skill: Skill;
  protocol: ProtocolName;
  /** Other matching skills, each with the first rule that matched. */
  alsoMatched: SkillMatch[];
}

export const fallbackSkill = 'ct-task-executor';

const protocolSkills: Partial<Record<ProtocolName, string>> = {
  research: 'ct-research-agent',
  consensus: 'ct-validator',
  specification: 'ct-spec-writer',
  decomposition: 'ct-epic-architect',
};
export const getProtocolSkill = (protocol: ProtocolName): string => protocolSkills[protocol] ?? fallbackSkill;

/** Chooses the skill for a task. Of five rules the first match wins: a label that is a tag; a row of the catalog; the type;
 *  triggers and keywords, in the title and then in the description; otherwise the fallback. If one rule matches several skills, the
 *  first in the order of `skills` wins. `skills` must contain the fallback. */
export function dispatchSkill(task: SkillTask, skills: Skill[], rows: SkillRow[]): SkillChoice {
  const declaredProtocol = task.protocol ?? protocolNames.find((name) => task.labels.includes(`protocol:${name}`));
  const matches = [
    ...matchLabels(task.labels, skills),
    ...matchRows({ ...task, protocol: declaredProtocol }, rows),
    ...matchType(task.type),
    ...matchWords('title', task.title, skills),
    ...matchWords('description', task.description ?? '', skills),
  ].flatMap((match) => {
    const skill = skills.find(({ name }) => name === match.skill);
    return skill ? [{ ...match, skill }] : [];
  });
  const fallback: ResolvedMatch = { skill: skills.find(({ name }) => name === fallbackSkill)!, rule: 'fallback', match: 'nothing else' };
  const { skill, rule, match, protocol = skill.protocol ?? 'implementation' } = matches[0] ?? fallback;
  const others = matches.filter((other, i) => other.skill !== skill && matches.findIndex((first) => first.skill === other.skill) === i);
  return {
    skill,
    rule,
    match,
    protocol: declaredProtocol ?? protocol,
    alsoMatched: others.map((other) => ({ skill: other.skill.name, rule: other.rule, match: other.match })),
  };
}

interface NamedMatch extends SkillMatch {
  /** Protocol of the match, if it is not the skill's own. */
  protocol?: ProtocolName;
}
type ResolvedMatch = Omit<NamedMatch, 'skill'> & { skill: Skill };

const matchLabels = (labels: string[], skills: Skill[]): NamedMatch[] =>
  skills.flatMap(({ name, tags }) => {
    const label = labels.find((each) => each === name || tags.includes(each));
    return label === undefined ? [] : [{ skill: name, rule: 'label' as const, match: label }];
  });

function matchRows(task: SkillTask, rows: SkillRow[]): NamedMatch[] {
  return rows.flatMap(({ skill, ...requirements }) => {
    const conditions = Object.entries(requirements) as [keyof typeof requirements, string][];
    if (conditions.length === 0 || conditions.some(([field, value]) => task[field] !== value)) return [];
    return [{ skill, rule: 'catalogue' as const, match: conditions.map(([field, value]) => `${field} ${value}`).join(', ') }];
  });
}

/** Epics and sagas are decomposed. */
const matchType = (type: TaskType): NamedMatch[] =>
  type === 'epic' || type === 'saga' ? [{ ...toProtocolMatch('decomposition'), rule: 'type', match: type }] : [];

function matchWords(field: string, text: string, skills: Skill[]): NamedMatch[] {
  const words = padTerms(text.replace(fileNamePattern, ' '));
  const includesPhrase = (phrase: string): boolean => padTerms(phrase).length > 1 && words.includes(padTerms(phrase));
  const toMatch = (phrase: string): Pick<NamedMatch, 'rule' | 'match'> => ({ rule: 'keyword', match: `${phrase} in the ${field}` });
  const triggerMatches = skills.flatMap(({ name, triggers }) => {
    const trigger = triggers.find(includesPhrase);
    return trigger === undefined ? [] : [{ skill: name, ...toMatch(trigger) }];
  });
  const keywordMatches = protocolNames.flatMap((protocol) => {
    const keyword = protocolTable[protocol].keywords.find(includesPhrase);
    return keyword === undefined ? [] : [{ ...toProtocolMatch(protocol), ...toMatch(keyword) }];
  });
  return [...triggerMatches, ...keywordMatches];
}

const toProtocolMatch = (protocol: ProtocolName): Pick<NamedMatch, 'skill' | 'protocol'> => ({
  skill: getProtocolSkill(protocol),
  protocol,
});

/** Joins search terms with spaces, so that `includes` matches whole words only. */
const padTerms = (text: string): string => ` ${toTerms(text).join(' ')} `.replace(/^ +$/, ' ');

/** Matches file names: `parser.spec.ts` must not match the keyword `spec`. */
const fileNamePattern = /\S*[^\s.]\.[a-z][a-z0-9]{0,9}(?![\w.])/gi;
