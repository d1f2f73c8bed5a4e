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

test('merges all sources of a phase', () => {
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
  // A deadline of 0 means none.
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
  ['list of phases', 'phases: [{name: b}, {name: a}]', ['b', 'a']],
  ['map of phases', 'phases: {b: {}, a: {}}', ['b', 'a']],
  ['execution.phases wins', 'execution: {phases: [a, b]}\nphases: {b: {}, a: {}}', ['a', 'b']],
  ['only contracts', 'contracts: {x: {}, y: {}}', ['x', 'y']],
  ['only skills', 'skills: [{name: s, phase: only}]', ['only']],
])('order of phases: %s', (_, rest, order) => {
  expect(read(rest).construct?.phases.map(({ name }) => name)).toEqual(order);
});

describe('errors', () => {
  test.each<[string, string, RegExp]>([
    ['a phase that is not listed', 'execution: {phases: [a]}\ncontracts: {b: {}}', /contracts\.b: "b" is not in the list of phases/],
    [
      'a skill with an unknown phase',
      'execution: {phases: [a]}\nskills: [{name: s, phase: z}]',
      /skills\[0\]\.phase: "z" is not in the list of phases/,
    ],
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
    ['a retry on success', 'assessment: {gates: {a: {execution: {retry_on: [success]}}}}', /must be one of soft, partial/],
    ['an unknown schema', 'phases: {a: {produces: [{path: x.md, schema: prd-v2}]}}', /there is no schema "prd-v2": did you mean prd-v1/],
    [
      'an unknown section',
      'phases: {a: {produces: [{path: x.md, schema: prd-v1, required_sections: [golas]}]}}',
      /a: prd-v1 has no section "golas": did you mean goals/,
    ],
    [
      'a handoff of an unknown phase',
      'phases: {a: {}, b: {}}\nassessment: {handoffs: {a_to_c: {}}}',
      /"a_to_c" does not name two phases: set from: and to:/,
    ],
    [
      'a handoff whose key can be split in two ways',
      'phases: {a: {}, a_to_b: {}, b_to_c: {}, c: {}}\nassessment: {handoffs: {a_to_b_to_c: {}}}',
      /can be split in 2 ways/,
    ],
    [
      'two handoffs between the same phases',
      'phases: {a: {}, b: {}}\nassessment: {handoffs: {a_to_b: {}, again: {from: a, to: b}}}',
      /declared twice/,
    ],
    ['a share above one', 'phases: {a: {produces: [{path: x, min_completeness: 80}]}}', /min_completeness: must be a number from 0 to 1/],
    ['a number in quotes', 'assessment: {capture: {retention_days: "30"}}', /retention_days: must be a whole number/],
    ['negative retries', 'assessment: {gates: {a: {execution: {max_retries: -1}}}}', /max_retries: must be a whole number from 0 to 10/],
    ['a fractional retry', 'assessment: {gates: {a: {execution: {max_retries: 1.5}}}}', /max_retries: must be a whole number/],
    ['exit code 0 named as a failure', 'exit_codes: {0: blocked}', /exit_codes\.0: exit code 0 always means success/],
    ['exit code 0 with another class', 'exit_codes: {0: {name: fine, class: soft}}', /0 always means success/],
    ['an exit code above 255', 'exit_codes: {256: odd}', /is not an exit code/],
    ['an executor that is a string', 'name: [x]\nexecution: {executor: x}', /executor: must be a list/],
    ['an absolute path', 'phases: {a: {produces: [/etc/passwd]}}', /is absolute/],
    ['a path outside the project', 'phases: {a: {produces: ["{project}/../../x"]}}', /leaves the project/],
    [
      'a string to run without a shell',
      'skills: [{name: s, run: "echo hi"}]',
      /is a shell command line: write it as a list, or set shell: true/,
    ],
    ['an even number of votes', 'assessment: {judge: {command: [x], votes: 2}}', /must be odd/],
    ['an unknown execution type', 'execution: {type: random}', /must be one of sequential, parallel/],
    ['a cycle', 'phases: {a: {receives: [y], produces: [x]}, b: {receives: [x], produces: [y]}}', /that phase waits for a/],
    [
      'a cycle of three',
      'phases: {a: {receives: [z], produces: [x]}, b: {receives: [x], produces: [y]}, c: {receives: [y], produces: [z]}}',
      /a needs z, which only the later phase c produces, and that phase waits for a/,
    ],
    ['a skill name that is a path', 'skills: [{name: ../../x}]', /is not a valid skill name/],
    ['a skill name with a slash', 'phases: {a: {skills: [a/b]}}', /is not a valid skill name/],
    ['a skill path outside the project', 'skills: [{name: x, path: ../x}]', /leaves the project/],
    ['a duplicate key', 'env: [A]\nenv: [B]', /env is declared twice/],
    ['an unresolved alias', 'env: *missing', /Unresolved alias/],
    ['a second document', '---\nkind: Other', /has a second document/],
    ['deep nesting', `x: ${'['.repeat(5000)}${']'.repeat(5000)}`, /is nested too deeply/],
    ['a map that merges itself', 'phases: &p {<<: *p}', /[Aa]lias/],
    ['an empty phase name', 'phases: {"": {}}', /phases\.: "" is not a valid phase name/],
    ['a phase that hands off to itself', 'phases: {a: {}}\nassessment: {handoffs: {a_to_a: {}}}', /a hands off to itself/],
    [
      'a handoff with a conflicting schema',
      'phases: {a: {produces: [{path: x.md, schema: prd-v1}]}, b: {}}\nassessment: {handoffs: {a_to_b: {required_artifacts: [x.md], validation: {schema: sdd-v1}}}}',
      /x\.md has two schemas: prd-v1 and sdd-v1/,
    ],
    ['too many phases', `execution: {phases: [${Array.from({ length: 501 }, (_, i) => `p${i}`)}]}`, /there are 501 phases/],
    ['a tab', 'metadata:\n\tname: x', /[Tt]ab/],
  ])('%s', (_, rest, expected) => {
    const result = read(rest);
    expect(result.construct).toBeUndefined();
    expect(problems(rest).join('\n')).toMatch(expected);
  });

  test('have a line and a column', () => {
    expect(read('exit_codes:\n  0: blocked\n').findings).toContainEqual({
      severity: 'error',
      where: 'exit_codes.0',
      line: 5,
      column: 6,
      problem: 'exit code 0 always means success',
    });
  });

  test('have the position of the value, whichever part is read', () => {
    const at = (rest: string): unknown => read(rest).findings.map(({ where, line, column }) => `${line}:${column} ${where}`)[0];
    expect(at('execution:\n  phases: [a,\n    "b c"]\n')).toBe('6:5 execution.phases[1]');
    expect(at('phases:\n  a: {produces: [{path: x, schema: missing}]}\n')).toBe('5:36 phases.a.produces[0].schema');
    expect(at('execution: {phases: [a]}\nskills: [{name: s, phase: z}]\n')).toBe('5:27 skills[0].phase');
  });

  test('are limited to 100', () => {
    const { findings } = read(`phases: {a: {}}\n${Array.from({ length: 150 }, (_, i) => `x${i}: 1\n`).join('')}`);
    expect([findings.length, findings.at(-1)?.problem]).toEqual([101, 'and 50 more']);
  });

  test('find a duplicate key among 20,000 quickly', () => {
    const before = performance.now();
    expect(problems(`x:\n${Array.from({ length: 20_000 }, (_, i) => `  x${i}: 1\n`).join('')}  x7: 2\n`)).toEqual(['x7 is declared twice']);
    expect(performance.now() - before).toBeLessThan(8000);
  });

  test.each<[string, string, RegExp]>([
    ['an empty file', '', /is empty/],
    ['a list', '- a\n- b', /its top level is not a map/],
    ['a word', 'hello', /its top level is not a map/],
    ['a conda manifest', 'name: x\nchannels: [c]\nspecs: [python]', /conda constructor/],
    ['another YAML file', 'name: x', /needs apiVersion/],
    [
      'an alias bomb',
      `a: &a [x, x]\n${'bcdefghijklm'
        .split('')
        .map((c, i) => `${c}: &${c} [${`*${'abcdefghijklm'[i]}, `.repeat(9)}x]`)
        .join('\n')}`,
      /[Ee]xcessive alias/,
    ],
    ['a file above 1 MiB', `a: ${'x'.repeat(1024 * 1024)}`, /larger than 1 MiB/],
  ])('rejects %s', (_, text, expected) => {
    const { kind, findings, construct } = readConstruct('construct.yaml', text);
    expect([kind, construct]).toEqual(['other', undefined]);
    expect(findings.map(({ problem }) => problem).join('\n')).toMatch(expected);
  });
});

test('reads merged maps', () => {
  const text =
    'x-limits: &limits {timeout_ms: 1000, max_retries: 1}\nx-more: &more {max_retries: 2, deadline_ms: 5}\nassessment: {gates: {a: {execution: {<<: [*limits, *more], timeout_ms: 2000}}}}\n';
  expect(read(text).construct?.phases).toMatchObject([{ timeoutMs: 2000, maxRetries: 1, deadlineMs: 5 }]);
  expect(problems(text, 'warning').join()).not.toContain('<<');
});

test('warns about a handoff to an earlier phase', () => {
  expect(problems('phases: {a: {}, b: {}}\nassessment: {handoffs: {b_to_a: {}}}', 'warning')).toEqual([
    'assessment.handoffs.b_to_a: b hands off to a, which runs before it',
  ]);
});

test('rejects a numeric version, since 1.10 would become 1.1', () => {
  const { findings, construct } = readConstruct('c', 'apiVersion: loa/v1\nkind: Construct\nmetadata: {version: 1.10}');
  expect(construct).toBeUndefined();
  expect(findings.find(({ severity }) => severity === 'error')).toMatchObject({
    where: 'metadata.version',
    line: 3,
    column: 21,
    problem: 'must be a string; put it in quotes',
  });
});

test('reports a completeness that cannot be measured', () => {
  expect(problems('phases: {a: {produces: [{path: x.md, min_completeness: 0.5}]}}', 'warning')).toEqual([
    'a: x.md has no schema, so its completeness cannot be measured: set one: schema: prd-v1',
  ]);
  const data = `${head}phases: {a: {produces: [{path: x.json, schema: form, min_completeness: 0.5}]}}`;
  expect(readConstruct('c', data, { schemas: new Map([['form', undefined]]) }).findings).toMatchObject([
    { severity: 'error', problem: 'form is a data schema: x.json has no completeness' },
  ]);
});

test.each([
  ['for all goals, none configured', 'goal: {mode: judge}', 1],
  ['for the goal of a phase, none configured', 'gates: {a: {goal: {mode: judge_then_review}}}', 1],
  ['for the selection, none configured', 'selection: judge', 1],
  ['for all goals, configured', 'goal: {mode: judge}, judge: {command: [x]}', 0],
  ['not at all', 'goal: {mode: review}', 0],
])('warns about a missing judge: needed %s', (_, assessment, warnings) => {
  const found = problems(`phases: {a: {}}\nassessment: {${assessment}}`, 'warning');
  expect(found.filter((one) => one.includes('people review instead'))).toHaveLength(warnings);
});

test('the goal of a phase inherits from the goal of the construct', () => {
  const { construct } = read(
    'phases: {a: {}, b: {}}\nassessment: {goal: {mode: review, rubric: [{id: x, question: y}]}, gates: {a: {goal: {enforce: true}}}}',
  );
  expect(construct!.phases.map(({ goal }) => goal)).toEqual([
    { mode: 'review', enforce: true, rubric: [{ id: 'x', question: 'y', weight: 1 }] },
    undefined,
  ]);
});

test('an unknown key is only a warning, with a suggestion', () => {
  expect(problems('asessment: {}\nx-vendor: 1', 'warning')).toEqual([
    'has no phases, so there is nothing to run',
    'asessment: unknown key "asessment" is ignored: did you mean assessment?',
    'x-vendor: unknown key "x-vendor" is ignored',
  ]);
});

test('reads a pack with a byte order mark', () => {
  expect(readConstruct('c', '\ufeffschema_version: 4\nname: pack\nversion: 1.2.3\nskills: [{slug: one, path: skills/one}]')).toMatchObject({
    kind: 'pack',
    construct: { name: 'pack', version: '1.2.3', phases: [], skills: [{ name: 'one', path: 'skills/one' }] },
  });
});
