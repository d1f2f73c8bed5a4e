import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { asPerson } from '../../../test/app.ts';
import { emptyPrd } from '../../../test/samples.ts';
import { openSkillProject, type SkillProject } from '../../../test/skill-project.ts';
import { readConstruct } from '../rules/construct/read.ts';
import { readDocSchema } from '../rules/document/read-schema.ts';
import { parseVerdict } from '../rules/judge.ts';
import { compileSchema } from '../runner/json-schema.ts';
import { buildRunSchemas, formatSchema } from './run-schemas.ts';

const folder = new URL('../../../schemas/', import.meta.url);
const published = (name: string): Record<string, unknown> => JSON.parse(readFileSync(new URL(`${name}.schema.json`, folder), 'utf8'));
const compiled = new Map<string, ReturnType<typeof compileSchema>>();
function validate(name: string, value: unknown): string[] {
  const check = compiled.get(name) ?? compileSchema(published(name));
  compiled.set(name, check);
  return check(value);
}

test.each(Object.entries(buildRunSchemas()))('the published schema of %s matches the model', async (name, schema) => {
  await expect(formatSchema(schema)).toMatchFileSnapshot(`../../../schemas/${name}.schema.json`);
});

test('the parts have their published names', () => {
  expect(Object.keys(published('skill-execution-result').$defs as object).sort()).toEqual(
    ['Artifact', 'Check', 'CheckFailure', 'Error', 'Evidence', 'GateResult', 'RetryAttempt', 'SideEffect', 'Warning'].sort(),
  );
  expect(Object.keys(published('phase-handoff').$defs as object).sort()).toEqual(['Artifact', 'ArtifactSpec']);
});

/** Creates runs that succeed, are retried, fail and are forced, so that every part is written once. */
async function createRuns(): Promise<SkillProject> {
  const shop = await openSkillProject({ tasks: ['T001 epic', 'T002 in T001'] });
  shop.writeConstruct(`
execution: {phases: [look, plan]}
skills: [{name: reader, phase: look}, {name: planner, phase: plan}]
contracts: {look: {outputs: [prd.md], exit_codes: {0: success}}, plan: {inputs: [prd.md], outputs: [plan.md]}}
assessment:
  selection: judge
  goal: {mode: judge, rubric: [{id: r, question: "Is it read?"}]}
  judge: {command: [sh, -c, "cat >> .cleo/asked.jsonl; echo >> .cleo/asked.jsonl; exit 1"], max_retries: 0}
  gates:
    look: {execution: {max_retries: 1}, output: {schema: prd-v1, min_completeness: 0, required_sections: [goals]}}
  handoffs: {look_to_plan: {required_artifacts: [{path: prd.md, schema: prd-v1, min_completeness: 0.1}], optional_artifacts: [x.md]}}
`);
  shop.writeFile('draft.md', emptyPrd);
  const claim = {
    confidence: 0.5,
    goal_statement: 'Read it',
    evidence: [{ type: 'file', description: 'd', reference: 'prd.md' }],
    side_effects: [{ type: 'api_call', target: 'x', reversible: true, description: 'd' }],
    warnings: [{ code: 'w', message: 'm' }],
    retry_after_ms: 1,
    human_review_requested: true,
  };
  shop.writeSkill(
    'reader',
    `echo '${JSON.stringify(claim)}' > "$CLEO_RESULT"; [ "$CLEO_ATTEMPT" = 1 ] && exit 3; cp draft.md prd.md; echo x > other.md`,
  );
  shop.writeSkill('planner', 'echo planned > plan.md');
  expect((await shop.runConstruct({ task: 'T002' })).error.exitCode).toBe(84);
  expect((await shop.runConstruct({ force: 'output', reason: 'to see it' })).error.exitCode).toBe(80);
  shop.writeFile('draft.md', emptyPrd.replace('TBD', 'word '.repeat(30)).replace('TBD', 'word '.repeat(30)));
  expect((await shop.runConstruct({ input: { a: 1 } })).success).toBe(true);
  const review = (await shop.call('review.list', {})).reviews.at(-1).id;
  const ada = shop.as('ada');
  for (const [name, params] of [
    ['review.claim', {}],
    ['review.reveal', {}],
    ['review.resolve', { verdict: 'pass', score: 0.5, note: 'n' }],
    ['review.resolve', { verdict: 'fail', score: 0, amend: true }],
  ] as const)
    expect((await ada.call(name, { review, ...params }, name === 'review.resolve' ? asPerson : {})).success).toBe(true);
  return shop;
}

const readJsonFiles = (place: string): [name: string, value: Record<string, unknown>][] =>
  readdirSync(place, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json') && !name.startsWith('judge'))
    .map((name) => [name, JSON.parse(readFileSync(join(place, name), 'utf8'))]);

test('files of real runs are valid, and every field is checked', async () => {
  const shop = await createRuns();
  const files = readJsonFiles(join(shop.root, '.cleo', 'runs'));
  const kinds: Record<string, RegExp> = { run: /run\.json$/, 'skill-execution-result': /result\.json$/, 'phase-handoff': /handoffs\// };
  for (const [schema, pattern] of Object.entries(kinds)) {
    const found = files.filter(([name]) => pattern.test(name));
    expect(found.length).toBeGreaterThan(1);
    for (const [name, value] of found) expect([name, validate(schema, value)]).toEqual([name, []]);
  }
  const traces = join(shop.root, '.cleo', 'traces');
  const lines = readdirSync(traces)
    .filter((name) => name.endsWith('.jsonl'))
    .flatMap((name) => readFileSync(join(traces, name), 'utf8').trim().split('\n'));
  expect(lines.length).toBeGreaterThan(30);
  for (const line of lines) expect([line, validate('trace-line', JSON.parse(line))]).toEqual([line, []]);
  for (const [schema, file, key, kinds] of [
    ['judge-request', 'asked.jsonl', 'kind', ['goal', 'selection']],
    ['review-line', 'reviews.jsonl', 'event', ['amended', 'claimed', 'requested', 'resolved', 'revealed'].map((one) => `review_${one}`)],
  ] as const) {
    const asked = readLines(join(shop.root, '.cleo', file));
    expect([...new Set(asked.map((line) => line[key]))].sort()).toEqual(kinds);
    for (const line of asked) expect([line, validate(schema, line)]).toEqual([line, []]);
  }
  expect(listUncheckedFields(files)).toEqual([]);
});

const readLines = (place: string): Record<string, unknown>[] =>
  readFileSync(place, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

/** Fields that can be removed or changed without a validation error. */
function listUncheckedFields(files: [name: string, value: Record<string, unknown>][]): string[] {
  const wrong: string[] = [];
  for (const [schema, pattern] of [
    ['run', /run\.json$/],
    ['skill-execution-result', /look\/reader\/2\/result\.json$/],
    ['phase-handoff', /handoffs\//],
  ] as const) {
    const [, value] = files.find(([name]) => pattern.test(name))!;
    for (const [way, corrupted] of corrupt(value)) if (validate(schema, corrupted).length === 0) wrong.push(`${schema} ${way}`);
  }
  // Outputs, inputs and measured values of a skill can be anything.
  return wrong.filter(
    (way) =>
      !/(primary|expected|actual|provided\..*|metadata\..*|vars\..*) (changed)$/.test(way) &&
      !/(provided|metadata|vars)\.\S+ gone$/.test(way),
  );
}

test.each<[string, object, boolean]>([
  ['the required fields', { verdict: 'pass', score: 1 }, true],
  [
    'all fields',
    { verdict: 'unsure', score: 0, reasons: ['r'], criteria: [{ id: 'a', score: 1, reason: '' }], model: 'm', usage: {} },
    true,
  ],
  ['an unknown verdict', { verdict: 'yes', score: 1 }, false],
  ['a score above 1', { verdict: 'pass', score: 1.1 }, false],
  ['no score', { verdict: 'pass' }, false],
])('the schema and the parser agree about a verdict: %s', (_, verdict, isValid) => {
  expect(validate('judge-verdict', verdict).length === 0).toBe(isValid);
  expect('problem' in parseVerdict(JSON.stringify(verdict))).toBe(!isValid);
});

/** Variants of a value, each with one field removed or replaced. */
function corrupt(value: unknown, way = ''): [way: string, value: unknown][] {
  if (Array.isArray(value))
    return value
      .slice(0, 1)
      .flatMap((first) => corrupt(first, `${way}[0]`).map(([at, one]): [string, unknown] => [at, [one, ...value.slice(1)]]));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]): [string, unknown][] => {
    const { [key]: _, ...others } = value as Record<string, unknown>;
    const at = way === '' ? key : `${way}.${key}`;
    return [
      ...(key === 'overridden' ? [] : [[`${at} gone`, others] as [string, unknown]]),
      [`${at} changed`, { ...value, [key]: Symbol.for('strange') }],
      ...corrupt(inner, at).map(([place, one]): [string, unknown] => [place, { ...value, [key]: one }]),
    ];
  });
}

test.each<[string, object]>([
  ['a line without its event', { event: undefined }],
  ['a line of another version', { v: 2 }],
  ['a line with an invalid sequence number', { seq: 0 }],
  ['a line without the previous hash', { prev: 1 }],
  ['a line whose data is a list', { data: [] }],
])('%s is invalid', (_, more) => {
  const line = { ts: 't', event: 'e', data: {}, v: 1, seq: 1, run_id: 'r', prev: 'genesis', more: 'of a later time' };
  expect(validate('trace-line', line)).toEqual([]);
  expect(validate('trace-line', JSON.parse(JSON.stringify({ ...line, ...more })))).not.toEqual([]);
});

const head = 'apiVersion: loa/v1\nkind: Construct\n';
const examples = new URL('../../../examples/', import.meta.url);
const seed = `${head}metadata: {name: autonomous-agent, version: 1.0.0, labels: {a: b}}
skills: [plain, {name: riding-codebase, required: true, phase: discovery, run: [node, x.mjs], env: [A], credentials: B, timeout_ms: 5}]
execution: {type: sequential, phases: [discovery, design], max_concurrency: 2, executor: [agent]}
phases: {discovery: {receives: [], produces: [{path: "g/{project}/prd.md", schema: prd-v1, required: true}]}, design: {}}
exit_codes: {3: odd}
env: A
lifecycle_stage: specification
assessment:
  capture: {enabled: true, retention_days: null, include_inputs: hashed, include_outputs: summary}
  selection: off
  reviewers_required: 2
  redaction: {patterns: [x+]}
  goal: {mode: judge, enforce: true, rubric: [{id: a, question: "Is it?", weight: 2}]}
  judge: {command: [node, judge.mjs], votes: 3, min_score: 0.5}
  gates:
    discovery:
      precondition: {checks: [context_files_exist, prd_exists, {prd_completeness: 0.8}, {command: ["true"]}], severity: warn}
      execution: {timeout_ms: 300000, max_retries: 2, retry_on: [soft, timeout], deadline_ms: 1, kill_grace_ms: 1}
      output: {schema: prd-v1, min_completeness: 0.7, required_sections: true}
  exit_codes: {80: waiting_for_human, 2: {name: x, class: blocked}}
  handoffs: {discovery_to_design: {required_artifacts: ["g/{project}/prd.md"], validation: {schema: prd-v1}, on_failure: block}}
contracts: {discovery: {inputs: ["context/*.md", "AGENTS.md (optional)"], exit_codes: {0: success}}}
`;

test.each([
  ['all keys', seed],
  ['the first example', readFileSync(new URL('prd-to-sprint/construct.yaml', examples), 'utf8')],
  ['the second', readFileSync(new URL('checks/construct.yaml', examples), 'utf8')],
  ['unknown keys', `${head}color: blue\nmetadata: {icon: x}\n`],
  ['a list of phases', `${head}phases: [a, {name: b, requires: [x.md]}]\n`],
])('the schema and the reader accept a construct.yaml: %s', (_, text) => {
  expect(validate('construct', parse(text))).toEqual([]);
  expect(readConstruct('construct.yaml', text).findings.filter(({ severity }) => severity === 'error')).toEqual([]);
});

test.each([
  ['another apiVersion', 'apiVersion: v2\nkind: Construct\n'],
  ['a numeric version', `${head}metadata: {version: 1.0}\n`],
  ['a numeric phase', `${head}execution: {phases: [1]}\n`],
  ['an unknown execution type', `${head}execution: {type: random}\n`],
  ['a timeout above the limit', `${head}skills: [{name: a, timeout_ms: 90000000}]\n`],
  ['too many retries', `${head}skills: [{name: a, max_retries: 11}]\n`],
  ['a fractional retry', `${head}skills: [{name: a, max_retries: 1.5}]\n`],
  ['a completeness above 1', `${head}phases: {a: {produces: [{path: x, min_completeness: 80}]}}\n`],
  ['an artifact without a path', `${head}phases: {a: {produces: [{schema: prd-v1}]}}\n`],
  ['a retention that is a string', `${head}assessment: {capture: {retention_days: "30"}}\n`],
  ['an exit code above 255', `${head}exit_codes: {256: x}\n`],
  ['an unknown exit class', `${head}exit_codes: {3: {name: x, class: y}}\n`],
  ['a judge without a command', `${head}assessment: {judge: {votes: 3}}\n`],
  ['a judge command that is a string', `${head}assessment: {judge: {command: node x}}\n`],
  ['a rubric without a question', `${head}assessment: {goal: {rubric: [{id: a}]}}\n`],
  ['an unknown severity', `${head}execution: {phases: [a]}\nassessment: {gates: {a: {precondition: {severity: loud}}}}\n`],
  ['an unknown stage', `${head}lifecycle_stage: lunch\n`],
  ['a stage that a run cannot complete', `${head}lifecycle_stage: release\n`],
])('the schema and the reader reject a construct.yaml: %s', (_, text) => {
  expect(validate('construct', parse(text))).not.toEqual([]);
  expect(readConstruct('construct.yaml', text).findings.filter(({ severity }) => severity === 'error')).not.toEqual([]);
});

test('the schema and the reader of construct.yaml know the same keys', () => {
  const { findings } = readConstruct('construct.yaml', seed);
  expect(findings.filter(({ problem }) => problem.includes('unknown key'))).toEqual([]);
  const known = Object.keys(published('construct').properties as object);
  expect(Object.keys(parse(seed)).filter((name) => !known.includes(name))).toEqual([]);
});

test('the schema and the reader of document schemas agree', () => {
  const good =
    'id: note\nversion: "1"\nsections: [{id: a, titles: [A, B], required: true, weight: 2, min_words: 5, min_items: 1}]\nfront_matter: {type: object}\n';
  expect(validate('doc-schema', parse(good))).toEqual([]);
  expect(readDocSchema('note.doc.yaml', good)).toMatchObject({ id: 'note' });
  for (const bad of [
    'version: 1\n',
    'sections: {a: b}\n',
    'sections: [{titles: [A]}]\n',
    'sections: [{id: a, weight: -1}]\n',
    'sections: [{id: a, min_words: 0.5}]\n',
  ]) {
    expect([bad, validate('doc-schema', parse(bad)).length > 0]).toEqual([bad, true]);
    expect(readDocSchema('note.doc.yaml', bad)).toHaveProperty('problem');
  }
});
