import { describe, expect, test } from 'vitest';
import { readConstruct } from './read.ts';

const head = 'apiVersion: loa/v1\nkind: Construct\nmetadata: {name: sample, version: 1.0.0}\n';
const read = (rest: string) => readConstruct('construct.yaml', head + rest);
const problems = (rest: string, severity = 'error') =>
  read(rest)
    .findings.filter((one) => one.severity === severity)
    .map(({ where, problem, fix }) => [where, problem, fix].filter(Boolean).join(': '));

const whole = `
skills:
  - {name: riding, phase: discovery}
  - name: shaping
    phase: design
    required: false
    run: [node, shape.mjs]
execution: {type: sequential, phases: [discovery, design]}
phases:
  discovery:
    produces:
      - {path: "grimoires/{project}/prd.md", schema: prd-v1, required: true}
  design:
    receives:
      - {path: "grimoires/{project}/prd.md", min_completeness: 0.8}
contracts:
  discovery:
    inputs: [context/*.md, AGENTS.md (optional)]
    outputs: ["grimoires/{project}/prd.md"]
    exit_codes: {0: success, 1: incomplete, 2: blocked}
  design:
    outputs: ["grimoires/{project}/sdd.md"]
exit_codes: {80: {name: waiting_for_human, class: escalate}}
assessment:
  capture: {retention_days: null, include_inputs: none}
  gates:
    discovery:
      precondition: {checks: [context_files_exist, operator_detected]}
      execution: {timeout_ms: 300000, max_retries: 2, deadline_ms: 0, retry_on: [temporary]}
      output: {min_completeness: 0.7}
    design:
      precondition:
        checks: [prd_exists, prd_completeness: 0.8, command: [git, status]]
      output: {schema: sdd-v1, required_sections: [architecture, data_model], severity: warn}
      goal: {mode: judge, enforce: true}
  judge: {command: [node, judge.mjs], votes: 3}
  handoffs:
    discovery_to_design:
      required_artifacts: ["grimoires/{project}/prd.md"]
      optional_artifacts: ["grimoires/{project}/research/*.md"]
      validation: {schema: prd-v1, min_completeness: 0.8}
      on_failure: warn
`;

test('every source of a phase is one phase', () => {
  const { construct, findings, kind } = read(whole);
  expect(findings).toEqual([]);
  expect(kind).toBe('construct');
  const [discovery, design] = construct!.phases;
  expect(discovery).toMatchObject({
    name: 'discovery',
    skills: ['riding'],
    inputs: [
      { path: 'context/*.md', required: true, schema: null },
      { path: 'AGENTS.md', required: false },
    ],
    outputs: [{ path: 'grimoires/{project}/prd.md', schema: 'prd-v1', required: true, min_completeness: null }],
    timeoutMs: 300_000,
    maxRetries: 2,
    retryOn: ['temporary'],
    declaresExitCodes: true,
    exitCodes: { 0: { name: 'success' }, 1: { name: 'incomplete' }, 2: { name: 'blocked' } },
  });
  // As long as it takes, like a timeout of 0.
  expect(discovery).not.toHaveProperty('deadlineMs');
  expect(design).toMatchObject({
    skills: ['shaping'],
    inputs: [{ path: 'grimoires/{project}/prd.md', schema: 'prd-v1', min_completeness: 0.8 }],
    outputs: [{ path: 'grimoires/{project}/sdd.md', schema: 'sdd-v1', required_sections: ['architecture', 'data_model'] }],
    gates: {
      precondition: {
        severity: 'block',
        checks: [
          { kind: 'exists', path: 'grimoires/{project}/prd.md' },
          { kind: 'completeness', path: 'grimoires/{project}/prd.md', schema: 'prd-v1', min: 0.8 },
          { kind: 'command', argv: ['git', 'status'], timeoutMs: 30_000 },
        ],
      },
      output: { severity: 'warn' },
    },
    goal: { mode: 'judge', enforce: true },
    timeoutMs: 600_000,
    maxRetries: 0,
    retryOn: ['soft', 'temporary'],
    declaresExitCodes: false,
  });
  expect(construct).toMatchObject({
    name: 'sample',
    version: '1.0.0',
    type: 'sequential',
    exitCodes: { 80: { name: 'waiting_for_human', class: 'escalate' } },
    capture: { enabled: true, retentionDays: null, inputs: 'none', outputs: 'summary' },
    judge: { command: ['node', 'judge.mjs'], votes: 3, minScore: 0.7, timeoutMs: 60_000, maxRetries: 1 },
    handoffs: [
      {
        from: 'discovery',
        to: 'design',
        required: [{ path: 'grimoires/{project}/prd.md', schema: 'prd-v1', min_completeness: 0.8 }],
        optional: [{ path: 'grimoires/{project}/research/*.md', required: false }],
        onFailure: 'warn',
      },
    ],
  });
});

test.each<[string, string, string[]]>([
  ['order of a list', 'phases: [{name: b}, {name: a}]', ['b', 'a']],
  ['order of a map', 'phases: {b: {}, a: {}}', ['b', 'a']],
  ['the order that is given wins', 'execution: {phases: [a, b]}\nphases: {b: {}, a: {}}', ['a', 'b']],
  ['contracts alone', 'contracts: {x: {}, y: {}}', ['x', 'y']],
  ['skills alone', 'skills: [{name: s, phase: only}]', ['only']],
])('%s', (_, rest, order) => {
  expect(read(rest).construct?.phases.map(({ name }) => name)).toEqual(order);
});

describe('errors', () => {
  test.each<[string, string, RegExp]>([
    ['a phase outside the order', 'execution: {phases: [a]}\ncontracts: {b: {}}', /contracts\.b: "b" is in no order/],
    ['a skill of no phase', 'execution: {phases: [a]}\nskills: [{name: s, phase: z}]', /skills\[0\]\.phase: "z" is in no order/],
    [
      'two schemas for a path',
      'phases: {a: {produces: [{path: x.md, schema: p}]}, b: {receives: [{path: x.md, schema: q}]}}',
      /x\.md has two schemas: p and q/,
    ],
    [
      'an unknown check',
      'assessment: {gates: {a: {precondition: {checks: [git_claen]}}}}',
      /there is no check "git_claen": did you mean git_clean/,
    ],
    ['an unknown class', 'assessment: {gates: {a: {execution: {retry_on: [always]}}}}', /must be one of soft, partial/],
    ['a success that is tried again', 'assessment: {gates: {a: {execution: {retry_on: [success]}}}}', /must be one of soft, partial/],
    ['a schema of nobody', 'phases: {a: {produces: [{path: x.md, schema: prd-v2}]}}', /there is no schema "prd-v2": did you mean prd-v1/],
    [
      'a section of nobody',
      'phases: {a: {produces: [{path: x.md, schema: prd-v1, required_sections: [golas]}]}}',
      /a: prd-v1 has no section "golas": did you mean goals/,
    ],
    [
      'a handoff of nobody',
      'phases: {a: {}, b: {}}\nassessment: {handoffs: {a_to_c: {}}}',
      /"a_to_c" names no two phases: say from: and to:/,
    ],
    [
      'a handoff split in two ways',
      'phases: {a: {}, a_to_b: {}, b_to_c: {}, c: {}}\nassessment: {handoffs: {a_to_b_to_c: {}}}',
      /can be split in 2 ways/,
    ],
    ['two handoffs of one pair', 'phases: {a: {}, b: {}}\nassessment: {handoffs: {a_to_b: {}, again: {from: a, to: b}}}', /declared twice/],
    ['a share above one', 'phases: {a: {produces: [{path: x, min_completeness: 80}]}}', /min_completeness: must be a number from 0 to 1/],
    ['a number in quotes', 'assessment: {capture: {retention_days: "30"}}', /retention_days: must be a whole number/],
    [
      'retries below nothing',
      'assessment: {gates: {a: {execution: {max_retries: -1}}}}',
      /max_retries: must be a whole number from 0 to 10/,
    ],
    ['half a retry', 'assessment: {gates: {a: {execution: {max_retries: 1.5}}}}', /max_retries: must be a whole number/],
    ['zero is no failure', 'exit_codes: {0: blocked}', /exit_codes\.0: 0 is success/],
    ['zero has no other class', 'exit_codes: {0: {name: fine, class: soft}}', /0 is success/],
    ['a code beyond a byte', 'exit_codes: {256: odd}', /is no exit code/],
    ['a name that is a list', 'name: [x]\nexecution: {executor: x}', /executor: must be a list/],
    ['an absolute path', 'phases: {a: {produces: [/etc/passwd]}}', /is absolute/],
    ['a path out of the project', 'phases: {a: {produces: ["{project}/../../x"]}}', /leaves the project/],
    [
      'a string to run without a shell',
      'skills: [{name: s, run: "echo hi"}]',
      /is one line for a shell: write it as a list, or say shell: true/,
    ],
    ['an even number of votes', 'assessment: {judge: {command: [x], votes: 2}}', /must be odd/],
    ['an execution of another type', 'execution: {type: random}', /must be one of sequential, parallel/],
    ['a cycle', 'phases: {a: {receives: [y], produces: [x]}, b: {receives: [x], produces: [y]}}', /waits for a itself/],
    [
      'a cycle of three',
      'phases: {a: {receives: [z], produces: [x]}, b: {receives: [x], produces: [y]}, c: {receives: [y], produces: [z]}}',
      /a receives z, which only c makes, later, and which waits for a itself/,
    ],
    ['a skill called like a way', 'skills: [{name: ../../x}]', /is no name for a skill/],
    ['one that a phase calls so', 'phases: {a: {skills: [a/b]}}', /is no name for a skill/],
    ['a skill that lies elsewhere', 'skills: [{name: x, path: ../x}]', /leaves the project/],
    ['the same key twice', 'env: [A]\nenv: [B]', /env stands there twice/],
    ['an alias of nothing', 'env: *nobody', /Unresolved alias/],
    ['a second document', '---\nkind: Other', /has a second document/],
    ['more than anybody can read', `x: ${'['.repeat(5000)}${']'.repeat(5000)}`, /is nested too deeply/],
    ['a map that takes over from itself', 'phases: &p {<<: *p}', /[Aa]lias/],
    ['a phase without a name', 'phases: {"": {}}', /phases\.: "" is no name for a phase/],
    ['a phase that hands on to itself', 'phases: {a: {}}\nassessment: {handoffs: {a_to_a: {}}}', /a hands on to itself/],
    [
      'another schema where it is handed on',
      'phases: {a: {produces: [{path: x.md, schema: prd-v1}]}, b: {}}\nassessment: {handoffs: {a_to_b: {required_artifacts: [x.md], validation: {schema: sdd-v1}}}}',
      /x\.md has two schemas: prd-v1 and sdd-v1/,
    ],
    ['more phases than anybody needs', `execution: {phases: [${Array.from({ length: 501 }, (_, i) => `p${i}`)}]}`, /there are 501 phases/],
    ['a tab', 'metadata:\n\tname: x', /[Tt]ab/],
  ])('%s', (_, rest, expected) => {
    const result = read(rest);
    expect(result.construct).toBeUndefined();
    expect(problems(rest).join('\n')).toMatch(expected);
  });

  test('say where they are', () => {
    expect(read('exit_codes:\n  0: blocked\n').findings).toContainEqual({
      severity: 'error',
      where: 'exit_codes.0',
      line: 5,
      column: 6,
      problem: '0 is success, whatever it is called',
    });
  });

  test('say where they are, whoever finds them', () => {
    const at = (rest: string): unknown => read(rest).findings.map(({ where, line, column }) => `${line}:${column} ${where}`)[0];
    expect(at('execution:\n  phases: [a,\n    "b c"]\n')).toBe('6:5 execution.phases[1]');
    expect(at('phases:\n  a: {produces: [{path: x, schema: nobody}]}\n')).toBe('5:36 phases.a.produces[0].schema');
    expect(at('execution: {phases: [a]}\nskills: [{name: s, phase: z}]\n')).toBe('5:27 skills[0].phase');
  });

  test('are not more than can be read', () => {
    const { findings } = read(`phases: {a: {}}\n${Array.from({ length: 150 }, (_, i) => `x${i}: 1\n`).join('')}`);
    expect([findings.length, findings.at(-1)?.problem]).toEqual([101, 'and 50 more like these']);
  });

  test('are looked for once at every name', () => {
    const before = performance.now();
    expect(problems(`x:\n${Array.from({ length: 20_000 }, (_, i) => `  x${i}: 1\n`).join('')}  x7: 2\n`)).toEqual([
      'x7 stands there twice',
    ]);
    expect(performance.now() - before).toBeLessThan(8000);
  });

  test.each<[string, string, RegExp]>([
    ['nothing', '', /is empty/],
    ['a list', '- a\n- b', /no names at its top/],
    ['a word', 'hello', /no names at its top/],
    ['a manifest of conda', 'name: x\nchannels: [c]\nspecs: [python]', /conda constructor/],
    ['something else', 'name: x', /needs apiVersion/],
    [
      'a bomb',
      `a: &a [x, x]\n${'bcdefghijklm'
        .split('')
        .map((c, i) => `${c}: &${c} [${`*${'abcdefghijklm'[i]}, `.repeat(9)}x]`)
        .join('\n')}`,
      /[Ee]xcessive alias/,
    ],
    ['more than a mebibyte', `a: ${'x'.repeat(1024 * 1024)}`, /larger than 1 MiB/],
  ])('%s is no construct', (_, text, expected) => {
    const { kind, findings, construct } = readConstruct('construct.yaml', text);
    expect([kind, construct]).toEqual(['other', undefined]);
    expect(findings.map(({ problem }) => problem).join('\n')).toMatch(expected);
  });
});

test('what a map takes over from another is read as its own', () => {
  const text =
    'x-limits: &limits {timeout_ms: 1000, max_retries: 1}\nx-more: &more {max_retries: 2, deadline_ms: 5}\nassessment: {gates: {a: {execution: {<<: [*limits, *more], timeout_ms: 2000}}}}\n';
  expect(read(text).construct?.phases).toMatchObject([{ timeoutMs: 2000, maxRetries: 1, deadlineMs: 5 }]);
  expect(problems(text, 'warning').join()).not.toContain('<<');
});

test('a handoff to a phase that ran before is told', () => {
  expect(problems('phases: {a: {}, b: {}}\nassessment: {handoffs: {b_to_a: {}}}', 'warning')).toEqual([
    'assessment.handoffs.b_to_a: b hands on to a, which runs before it',
  ]);
});

test('a version is a text: 1.10 is not 1.1', () => {
  const { findings, construct } = readConstruct('c', 'apiVersion: loa/v1\nkind: Construct\nmetadata: {version: 1.10}');
  expect(construct).toBeUndefined();
  expect(findings.find(({ severity }) => severity === 'error')).toMatchObject({
    where: 'metadata.version',
    line: 3,
    column: 21,
    problem: 'must be a text; put it in quotes',
  });
});

test('how complete something is without a schema cannot be told, and that is said', () => {
  expect(problems('phases: {a: {produces: [{path: x.md, min_completeness: 0.5}]}}', 'warning')).toEqual([
    'a: x.md has no schema: how complete it is cannot be told: name one: schema: prd-v1',
  ]);
  const data = `${head}phases: {a: {produces: [{path: x.json, schema: form, min_completeness: 0.5}]}}`;
  expect(readConstruct('c', data, { schemas: new Map([['form', undefined]]) }).findings).toMatchObject([
    { severity: 'error', problem: 'form is a schema of data: x.json is whole or it is not' },
  ]);
});

test.each([
  ['for all goals', 'goal: {mode: judge}', 1],
  ['for the goal of a phase', 'gates: {a: {goal: {mode: judge_then_review}}}', 1],
  ['for the choice of skills', 'selection: judge', 1],
  ['and is there', 'goal: {mode: judge}, judge: {command: [x]}', 0],
  ['by nobody', 'goal: {mode: review}', 0],
])('a judge that is asked %s', (_, assessment, warnings) => {
  const told = problems(`phases: {a: {}}\nassessment: {${assessment}}`, 'warning');
  expect(told.filter((one) => one.includes('people are asked instead'))).toHaveLength(warnings);
});

test('a phase says of its goal only what is other than for all', () => {
  const { construct } = read(
    'phases: {a: {}, b: {}}\nassessment: {goal: {mode: review, rubric: [{id: x, question: y}]}, gates: {a: {goal: {enforce: true}}}}',
  );
  expect(construct!.phases.map(({ goal }) => goal)).toEqual([
    { mode: 'review', enforce: true, rubric: [{ id: 'x', question: 'y', weight: 1 }] },
    undefined,
  ]);
});

test('an unknown key is a warning with what was meant, and nothing worse', () => {
  expect(problems('asessment: {}\nx-vendor: 1', 'warning')).toEqual([
    'has no phases: there is nothing to run',
    'asessment: "asessment" is not known here and is left aside: did you mean assessment?',
    'x-vendor: "x-vendor" is not known here and is left aside',
  ]);
});

test('a pack is read, with a mark at its beginning too', () => {
  expect(readConstruct('c', '\ufeffschema_version: 4\nname: pack\nversion: 1.2.3\nskills: [{slug: one, path: skills/one}]')).toMatchObject({
    kind: 'pack',
    construct: { name: 'pack', version: '1.2.3', phases: [], skills: [{ name: 'one', path: 'skills/one' }] },
  });
});
