import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
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
function complaints(name: string, value: unknown): string[] {
  const check = compiled.get(name) ?? compileSchema(published(name));
  compiled.set(name, check);
  return check(value);
}

test.each(Object.entries(buildRunSchemas()))('the published schema of %s is the one that follows from the model', async (name, schema) => {
  await expect(formatSchema(schema)).toMatchFileSnapshot(`../../../schemas/${name}.schema.json`);
});

test('the parts have the names that others know', () => {
  expect(Object.keys(published('skill-execution-result').$defs as object).sort()).toEqual(
    ['Artifact', 'Check', 'CheckFailure', 'Error', 'Evidence', 'GateResult', 'RetryAttempt', 'SideEffect', 'Warning'].sort(),
  );
  expect(Object.keys(published('phase-handoff').$defs as object).sort()).toEqual(['Artifact', 'ArtifactSpec']);
});

/** Runs that succeed, are tried again, are refused and forced, so that every part is written once. */
async function eventful(): Promise<SkillProject> {
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
    expect((await ada.call(name, { review, ...params })).success).toBe(true);
  return shop;
}

const jsonIn = (place: string): [name: string, value: Record<string, unknown>][] =>
  readdirSync(place, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json') && !name.startsWith('judge'))
    .map((name) => [name, JSON.parse(readFileSync(join(place, name), 'utf8'))]);

test('what runs really write complies, and every field of it is looked at', async () => {
  const shop = await eventful();
  const files = jsonIn(join(shop.root, '.cleo', 'runs'));
  const kinds: Record<string, RegExp> = { run: /run\.json$/, 'skill-execution-result': /result\.json$/, 'phase-handoff': /handoffs\// };
  for (const [schema, pattern] of Object.entries(kinds)) {
    const found = files.filter(([name]) => pattern.test(name));
    expect(found.length).toBeGreaterThan(1);
    for (const [name, value] of found) expect([name, complaints(schema, value)]).toEqual([name, []]);
  }
  const traces = join(shop.root, '.cleo', 'traces');
  const lines = readdirSync(traces)
    .filter((name) => name.endsWith('.jsonl'))
    .flatMap((name) => readFileSync(join(traces, name), 'utf8').trim().split('\n'));
  expect(lines.length).toBeGreaterThan(30);
  for (const line of lines) expect([line, complaints('trace-line', JSON.parse(line))]).toEqual([line, []]);
  for (const [schema, file, key, kinds] of [
    ['judge-request', 'asked.jsonl', 'kind', ['goal', 'selection']],
    ['review-line', 'reviews.jsonl', 'event', ['amended', 'claimed', 'requested', 'resolved', 'revealed'].map((one) => `review_${one}`)],
  ] as const) {
    const asked = linesIn(join(shop.root, '.cleo', file));
    expect([...new Set(asked.map((line) => line[key]))].sort()).toEqual(kinds);
    for (const line of asked) expect([line, complaints(schema, line)]).toEqual([line, []]);
  }
  expect(unseen(files)).toEqual([]);
});

const linesIn = (place: string): Record<string, unknown>[] =>
  readFileSync(place, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

/** Fields that may be left out, or be of another kind, without a word of complaint. */
function unseen(files: [name: string, value: Record<string, unknown>][]): string[] {
  const wrong: string[] = [];
  for (const [schema, pattern] of [
    ['run', /run\.json$/],
    ['skill-execution-result', /look\/reader\/2\/result\.json$/],
    ['phase-handoff', /handoffs\//],
  ] as const) {
    const [, value] = files.find(([name]) => pattern.test(name))!;
    for (const [way, spoilt] of spoilings(value)) if (complaints(schema, spoilt).length === 0) wrong.push(`${schema} ${way}`);
  }
  // What a skill prints, is given or is measured by may be anything.
  return wrong.filter(
    (way) =>
      !/(primary|expected|actual|provided\..*|metadata\..*|vars\..*) (changed)$/.test(way) &&
      !/(provided|metadata|vars)\.\S+ gone$/.test(way),
  );
}

test.each<[string, object, boolean]>([
  ['the least that counts', { verdict: 'pass', score: 1 }, true],
  [
    'all of it',
    { verdict: 'unsure', score: 0, reasons: ['r'], criteria: [{ id: 'a', score: 1, reason: '' }], model: 'm', usage: {} },
    true,
  ],
  ['a verdict of another kind', { verdict: 'yes', score: 1 }, false],
  ['a score beyond all', { verdict: 'pass', score: 1.1 }, false],
  ['no score', { verdict: 'pass' }, false],
])('a verdict complies as it is read: %s', (_, said, complies) => {
  expect(complaints('judge-verdict', said).length === 0).toBe(complies);
  expect('problem' in parseVerdict(JSON.stringify(said))).toBe(!complies);
});

/** The value without one of its fields, or with something strange in its place; for every field that it has. */
function spoilings(value: unknown, way = ''): [way: string, value: unknown][] {
  if (Array.isArray(value))
    return value
      .slice(0, 1)
      .flatMap((first) => spoilings(first, `${way}[0]`).map(([at, one]): [string, unknown] => [at, [one, ...value.slice(1)]]));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]): [string, unknown][] => {
    const { [key]: _, ...others } = value as Record<string, unknown>;
    const at = way === '' ? key : `${way}.${key}`;
    return [
      ...(key === 'overridden' ? [] : [[`${at} gone`, others] as [string, unknown]]),
      [`${at} changed`, { ...value, [key]: Symbol.for('strange') }],
      ...spoilings(inner, at).map(([place, one]): [string, unknown] => [place, { ...value, [key]: one }]),
    ];
  });
}

test.each<[string, object]>([
  ['a line without its event', { event: undefined }],
  ['one of another version', { v: 2 }],
  ['one out of order', { seq: 0 }],
  ['one without the hash of the one before', { prev: 1 }],
  ['one whose data are none', { data: [] }],
])('%s does not comply', (_, more) => {
  const line = { ts: 't', event: 'e', data: {}, v: 1, seq: 1, run_id: 'r', prev: 'genesis', more: 'of a later time' };
  expect(complaints('trace-line', line)).toEqual([]);
  expect(complaints('trace-line', JSON.parse(JSON.stringify({ ...line, ...more })))).not.toEqual([]);
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
  ['one with everything in it', seed],
  ['the first example', readFileSync(new URL('prd-to-sprint/construct.yaml', examples), 'utf8')],
  ['the second', readFileSync(new URL('checks/construct.yaml', examples), 'utf8')],
  ['one with names for others', `${head}color: blue\nmetadata: {icon: x}\n`],
  ['one with a list of phases', `${head}phases: [a, {name: b, requires: [x.md]}]\n`],
])('a construct.yaml complies, and is read without an error: %s', (_, text) => {
  expect(complaints('construct', parse(text))).toEqual([]);
  expect(readConstruct('construct.yaml', text).findings.filter(({ severity }) => severity === 'error')).toEqual([]);
});

test.each([
  ['of another kind', 'apiVersion: v2\nkind: Construct\n'],
  ['with a version that is a number', `${head}metadata: {version: 1.0}\n`],
  ['with phases that are a text', `${head}execution: {phases: [1]}\n`],
  ['that runs in a strange way', `${head}execution: {type: random}\n`],
  ['that is too patient', `${head}skills: [{name: a, timeout_ms: 90000000}]\n`],
  ['that tries too often', `${head}skills: [{name: a, max_retries: 11}]\n`],
  ['that tries by halves', `${head}skills: [{name: a, max_retries: 1.5}]\n`],
  ['that asks for more than all', `${head}phases: {a: {produces: [{path: x, min_completeness: 80}]}}\n`],
  ['with an artifact without a path', `${head}phases: {a: {produces: [{schema: prd-v1}]}}\n`],
  ['with a retention that is a text', `${head}assessment: {capture: {retention_days: "30"}}\n`],
  ['with a code that is none', `${head}exit_codes: {256: x}\n`],
  ['with a class that is none', `${head}exit_codes: {3: {name: x, class: y}}\n`],
  ['with a judge that cannot be asked', `${head}assessment: {judge: {votes: 3}}\n`],
  ['with a judge that is one line', `${head}assessment: {judge: {command: node x}}\n`],
  ['with a rubric without a question', `${head}assessment: {goal: {rubric: [{id: a}]}}\n`],
  ['with a severity that is none', `${head}execution: {phases: [a]}\nassessment: {gates: {a: {precondition: {severity: loud}}}}\n`],
  ['with a stage that is none', `${head}lifecycle_stage: lunch\n`],
  ['with a stage that a run cannot complete', `${head}lifecycle_stage: release\n`],
])('a construct.yaml does not comply, and is refused: one %s', (_, text) => {
  expect(complaints('construct', parse(text))).not.toEqual([]);
  expect(readConstruct('construct.yaml', text).findings.filter(({ severity }) => severity === 'error')).not.toEqual([]);
});

test('every name in the schema of construct.yaml is known to its reader, and the other way round', () => {
  const { findings } = readConstruct('construct.yaml', seed);
  expect(findings.filter(({ problem }) => problem.includes('not known'))).toEqual([]);
  const known = Object.keys(published('construct').properties as object);
  expect(Object.keys(parse(seed)).filter((name) => !known.includes(name))).toEqual([]);
});

test('the schema of a document: what complies is read, what does not is refused', () => {
  const good =
    'id: note\nversion: "1"\nsections: [{id: a, titles: [A, B], required: true, weight: 2, min_words: 5, min_items: 1}]\nfront_matter: {type: object}\n';
  expect(complaints('doc-schema', parse(good))).toEqual([]);
  expect(readDocSchema('note.doc.yaml', good)).toMatchObject({ id: 'note' });
  for (const bad of [
    'version: 1\n',
    'sections: {a: b}\n',
    'sections: [{titles: [A]}]\n',
    'sections: [{id: a, weight: -1}]\n',
    'sections: [{id: a, min_words: 0.5}]\n',
  ]) {
    expect([bad, complaints('doc-schema', parse(bad)).length > 0]).toEqual([bad, true]);
    expect(readDocSchema('note.doc.yaml', bad)).toHaveProperty('problem');
  }
});
