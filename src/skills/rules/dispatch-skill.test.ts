import { describe, expect, test } from 'vitest';
import { protocolNames, protocolTable } from '../model/protocol.ts';
import type { Skill, SkillRow } from '../model/skill.ts';
import { dispatchSkill, getProtocolSkill, type SkillTask } from './dispatch-skill.ts';

const skill = (name: string, more: Partial<Skill> = {}): Skill => ({
  name,
  description: name,
  tags: [],
  triggers: [],
  origin: 'bundled',
  path: `skills/${name}/SKILL.md`,
  text: name,
  ...more,
});
const skills = [
  skill('ct-tests', { tags: ['bats', 'shared-tag'], triggers: ['bats', 'test the script'] }),
  skill('ct-research-agent', { tags: ['research'], triggers: ['look into', 'Überblick'], protocol: 'research' }),
  skill('ct-validator', { protocol: 'consensus' }),
  skill('ct-spec-writer', { protocol: 'specification' }),
  skill('ct-epic-architect', { triggers: ['break down'], protocol: 'decomposition' }),
  skill('ct-documentor', { tags: ['docs', 'shared-tag'], triggers: ['readme', '文書', '!?'], protocol: 'implementation' }),
  skill('ct-task-executor', { protocol: 'implementation' }),
];
const rows: SkillRow[] = [
  { phase: 'setup', size: 'large', skill: 'ct-epic-architect' },
  { phase: 'documentation', skill: 'ct-documentor' },
  { stage: 'consensus', skill: 'ct-validator' },
  { size: 'small', phase: 'gone', skill: 'nobody' },
  { protocol: 'release', skill: 'ct-tests' },
  { skill: 'ct-documentor' },
];
const choose = (task: Partial<SkillTask>) => dispatchSkill({ type: 'task', title: 'Do it', labels: [], ...task }, skills, rows);

describe('the first matching rule wins', () => {
  test.each<[why: string, task: Partial<SkillTask>, chosen: [skill: string, rule: string, match: string, protocol: string]]>([
    ['a label that is a tag', { labels: ['x', 'docs'] }, ['ct-documentor', 'label', 'docs', 'implementation']],
    ['a label that is the name', { labels: ['ct-validator'] }, ['ct-validator', 'label', 'ct-validator', 'consensus']],
    [
      'not a label that only starts with a tag',
      { labels: ['docs-old'] },
      ['ct-task-executor', 'fallback', 'nothing else', 'implementation'],
    ],
    [
      'a label before everything else',
      { labels: ['docs'], type: 'epic', phase: 'documentation', title: 'bats' },
      ['ct-documentor', 'label', 'docs', 'implementation'],
    ],
    ['several tags: the first skill', { labels: ['shared-tag'] }, ['ct-tests', 'label', 'shared-tag', 'implementation']],
    [
      'several labels: the first skill in any label order',
      { labels: ['docs', 'research'] },
      ['ct-research-agent', 'label', 'research', 'research'],
    ],
    ['a row with one condition', { phase: 'documentation' }, ['ct-documentor', 'catalogue', 'phase documentation', 'implementation']],
    [
      'a row with two conditions',
      { phase: 'setup', size: 'large' },
      ['ct-epic-architect', 'catalogue', 'phase setup, size large', 'decomposition'],
    ],
    [
      'not a row with one unmet condition',
      { phase: 'setup', size: 'small' },
      ['ct-task-executor', 'fallback', 'nothing else', 'implementation'],
    ],
    ['not a phase with the same prefix', { phase: 'documentation 2' }, ['ct-task-executor', 'fallback', 'nothing else', 'implementation']],
    ['a stage', { stage: 'consensus' }, ['ct-validator', 'catalogue', 'stage consensus', 'consensus']],
    ['a declared protocol', { protocol: 'release' }, ['ct-tests', 'catalogue', 'protocol release', 'release']],
    ['a protocol declared by a label', { labels: ['protocol:release'] }, ['ct-tests', 'catalogue', 'protocol release', 'release']],
    ['a row with an unknown skill', { phase: 'gone', size: 'small' }, ['ct-task-executor', 'fallback', 'nothing else', 'implementation']],
    [
      'the catalog before the type',
      { type: 'epic', phase: 'documentation' },
      ['ct-documentor', 'catalogue', 'phase documentation', 'implementation'],
    ],
    ['an epic', { type: 'epic', title: 'bats' }, ['ct-epic-architect', 'type', 'epic', 'decomposition']],
    ['a saga', { type: 'saga' }, ['ct-epic-architect', 'type', 'saga', 'decomposition']],
    ['not a subtask', { type: 'subtask' }, ['ct-task-executor', 'fallback', 'nothing else', 'implementation']],
    [
      'a trigger in the title',
      { title: 'Bring the README up to date' },
      ['ct-documentor', 'keyword', 'readme in the title', 'implementation'],
    ],
    [
      'a trigger of several words',
      { title: 'Please look  into: caches' },
      ['ct-research-agent', 'keyword', 'look into in the title', 'research'],
    ],
    [
      'not with another word in between',
      { title: 'look deeply into it' },
      ['ct-task-executor', 'fallback', 'nothing else', 'implementation'],
    ],
    ['a trigger before a keyword', { title: 'Design the bats run' }, ['ct-tests', 'keyword', 'bats in the title', 'implementation']],
    [
      'a keyword in the title before a trigger in the description',
      { title: 'Design it', description: 'with bats' },
      ['ct-spec-writer', 'keyword', 'design in the title', 'specification'],
    ],
    [
      'a trigger in the description',
      { description: 'Write a readme.' },
      ['ct-documentor', 'keyword', 'readme in the description', 'implementation'],
    ],
    [
      'a keyword in the description',
      { description: 'then publish' },
      ['ct-task-executor', 'keyword', 'publish in the description', 'release'],
    ],
    ['a keyword of two protocols: the first', { title: 'Publish it' }, ['ct-task-executor', 'keyword', 'publish in the title', 'release']],
    [
      'keywords of two protocols: the first',
      { title: 'Package and release' },
      ['ct-task-executor', 'keyword', 'release in the title', 'release'],
    ],
    [
      'whole words',
      { title: 'Inspect researchers, rebuild plans, approve' },
      ['ct-task-executor', 'fallback', 'nothing else', 'implementation'],
    ],
    ['at the end of a sentence', { title: 'Open a PR.' }, ['ct-task-executor', 'keyword', 'pr in the title', 'contribution']],
    [
      'not the name of a file',
      { title: 'Repair src/parser.spec.ts and plan.md' },
      ['ct-task-executor', 'fallback', 'nothing else', 'implementation'],
    ],
    [
      'ignoring case and accents',
      { title: 'einen uberblick geben' },
      ['ct-research-agent', 'keyword', 'Überblick in the title', 'research'],
    ],
    ['in a script without spaces', { title: 'この文書を書く' }, ['ct-documentor', 'keyword', '文書 in the title', 'implementation']],
    ['an empty title', { title: '' }, ['ct-task-executor', 'fallback', 'nothing else', 'implementation']],
    [
      'punctuation only, as in a trigger without words',
      { title: '!? !?' },
      ['ct-task-executor', 'fallback', 'nothing else', 'implementation'],
    ],
    [
      'a declared protocol with a skill of another protocol',
      { labels: ['docs'], protocol: 'provenance' },
      ['ct-documentor', 'label', 'docs', 'provenance'],
    ],
  ])('%s', (_, task, [name, rule, match, protocol]) => {
    const { skill: chosen, alsoMatched: _others, ...rest } = choose(task);
    expect({ skill: chosen.name, ...rest }).toEqual({ skill: name, rule, match, protocol });
  });

  test.each(protocolNames.flatMap((protocol) => protocolTable[protocol].keywords.map((keyword) => [keyword, protocol] as const)))(
    'matches the keyword %s',
    (keyword, protocol) => {
      const first = protocolNames.find((name) => (protocolTable[name].keywords as readonly string[]).includes(keyword))!;
      expect(choose({ title: `Now ${keyword.toUpperCase()} this` })).toMatchObject({ rule: 'keyword', protocol: first });
      expect(choose({ title: `Now x${keyword}y this`, protocol })).toMatchObject({ protocol });
      expect(choose({ title: `Now x${keyword} this` }).rule).toBe('fallback');
    },
  );
});

test('lists other matches, each skill once with its first rule', () => {
  const { skill: chosen, alsoMatched } = choose({
    labels: ['shared-tag'],
    phase: 'documentation',
    type: 'epic',
    title: 'Research the bats readme',
    description: 'Validate it',
  });
  expect(chosen.name).toBe('ct-tests');
  expect(alsoMatched).toEqual([
    { skill: 'ct-documentor', rule: 'label', match: 'shared-tag' },
    { skill: 'ct-epic-architect', rule: 'type', match: 'epic' },
    { skill: 'ct-research-agent', rule: 'keyword', match: 'research in the title' },
    { skill: 'ct-validator', rule: 'keyword', match: 'validate in the description' },
  ]);
  expect(choose({}).alsoMatched).toEqual([]);
});

test('maps each protocol to a skill', () => {
  expect(Object.fromEntries(protocolNames.map((name) => [name, getProtocolSkill(name)]))).toEqual({
    research: 'ct-research-agent',
    consensus: 'ct-validator',
    specification: 'ct-spec-writer',
    decomposition: 'ct-epic-architect',
    implementation: 'ct-task-executor',
    contribution: 'ct-task-executor',
    release: 'ct-task-executor',
    'artifact-publish': 'ct-task-executor',
    provenance: 'ct-task-executor',
  });
});

test('searches a long description quickly', () => {
  const many = Array.from({ length: 200 }, (_, i) => skill(`s-${i}`, { triggers: Array.from({ length: 20 }, (_, j) => `word ${i} ${j}`) }));
  const started = performance.now();
  dispatchSkill({ type: 'task', title: 'x', labels: [], description: 'word '.repeat(1600) }, [...many, ...skills], rows);
  expect(performance.now() - started).toBeLessThan(500);
});
