import { describe, expect, test } from 'vitest';
import { baseProtocol, protocols } from '#orchestration/protocols.generated.ts';
import { type ProtocolName, protocolNames, protocolTable } from '#skills/model/protocol.ts';
import type { ParsedEntry } from '../model/manifest.ts';
import { parseOutput } from './output-file.ts';
import { checkProtocol, findWorst, type ProtocolFacts } from './protocol-check.ts';
import { protocolRules } from './protocol-rules.ts';
import { formatReturnMessage } from './return-message.ts';

const entry: ParsedEntry = {
  id: 'T002-x',
  file: 'x.md',
  title: 'X',
  date: '2026-01-01',
  status: 'complete',
  agent_type: 'research',
  topics: ['x'],
  key_findings: ['x'],
  actionable: true,
  needs_followup: [],
  linked_tasks: ['T002', 'T003'],
};
const text = (sections: string, status = 'complete'): string =>
  `# X\n\n**Task**: T002\n**Epic**: T001\n**Date**: 2026-01-01\n**Status**: ${status}\n\n---\n\n## Summary\nx\n\n## Content\nx\n\n${sections}`;

/** Sections that satisfy each protocol. */
const validSections: Record<ProtocolName, string> = {
  research: '## Sources\n- a.md\n\n## Open questions\nNone.\n',
  consensus: '## Options\n- One\n- Two\n\n## Verdict\nTwo.\n\n## Dissent\nNone.\n',
  specification: '## Requirements\nIt MUST parse.\n\n## Acceptance\nTests.\n\n## Out of scope\nPrinting.\n',
  decomposition: '## Tasks\nT003, kept for 30 days.\n',
  implementation: '## Changes\na.ts\n\n## Verification\nnpm test: 3 passed\n',
  contribution: '## Attribution\nada: 1a2b3c4\n\n## Conflicts\nNone.\n',
  release: '## Changelog\nv1.2.3: faster\n\n## Verification\nnpm test\n\n## Rollback\nv1.2.2\n',
  'artifact-publish': `## Artifacts\na.tgz sha256:${'a'.repeat(64)}\n\n## Rollback\nunpublish\n`,
  provenance: `## Build\nnpm run build at ${'1'.repeat(40)} gives sha256:${'a'.repeat(64)}\n`,
};

function createFacts(protocol: ProtocolName = 'research', more: Partial<ProtocolFacts> = {}): ProtocolFacts {
  return {
    task: { id: 'T002', status: 'done', files: ['a.ts'], acceptance: [] },
    getEpic: () => 'T001',
    spawn: { agent: 'sub', hasProtocol: true },
    protocol,
    entry: { ...entry, agent_type: protocol },
    lines: 1,
    unknownTasks: [],
    output: parseOutput(text(validSections[protocol]).replace('---', '**Version**: 1')),
    message: formatReturnMessage(protocolTable[protocol].title, 'complete'),
    acts: [
      { act: 'focus', agent: 'sub', seq: 1 },
      { act: 'complete', agent: 'sub', seq: 2 },
    ],
    parts: [{ id: 'T003', isDescribed: true, hasCriteria: true, files: 1 }],
    ...more,
  };
}
/** `BASE-003!` failed, `BASE-007?` warns. */
const listProblems = (facts: ProtocolFacts): string[] =>
  checkProtocol(facts).flatMap(({ rule, result }) => (result === 'pass' ? [] : [`${rule}${result === 'fail' ? '!' : '?'}`]));
const omit = <K extends keyof ProtocolFacts>(key: K, facts = createFacts()): ProtocolFacts => {
  const { [key]: _, ...rest } = facts;
  return rest as ProtocolFacts;
};

test.each(protocolNames)('%s: passes work that follows every rule', (name) => {
  expect(listProblems(createFacts(name))).toEqual([]);
  expect(findWorst(checkProtocol(createFacts(name)))).toBeUndefined();
});

describe('base protocol:', () => {
  const acts: ProtocolFacts['acts'] = [{ act: 'complete', agent: 'sub', seq: 2 }];
  const table: [string, ProtocolFacts, string[]][] = [
    ['never spawned', omit('spawn'), ['SPAWN-001!']],
    ['spawned without a protocol', createFacts('research', { spawn: { agent: 'sub', hasProtocol: false } }), ['SPAWN-001!']],
    [
      'no entry',
      omit('entry', omit('output')),
      ['BASE-001!', 'BASE-004?', 'BASE-006?', 'BASE-007?', 'RSCH-001?', 'RSCH-002?', 'RSCH-003?', 'RSCH-004?'],
    ],
    ['an entry twice', createFacts('research', { lines: 2 }), ['BASE-001?']],
    ['no return message', omit('message'), ['BASE-002?']],
    ['a message with content', createFacts('research', { message: 'I found this: …' }), ['BASE-002!']],
    ['a message with another status', createFacts('research', { message: formatReturnMessage('Research', 'partial') }), ['BASE-002!']],
    ['a message of another protocol', createFacts('research', { message: formatReturnMessage('Release', 'complete') }), ['BASE-002?']],
    ['not done', createFacts('research', { task: { ...createFacts().task, status: 'active' } }), ['BASE-003!']],
    [
      'completed by another',
      createFacts('research', { acts: [createFacts().acts[0]!, { act: 'complete', agent: 'lead', seq: 2 }] }),
      ['BASE-003!'],
    ],
    ['done without a log entry', createFacts('research', { acts: [createFacts().acts[0]!] }), ['BASE-003?']],
    ['no file', omit('output'), ['BASE-004!', 'RSCH-001?', 'RSCH-002?', 'RSCH-003?', 'RSCH-004?']],
    [
      'a file with a missing section',
      createFacts('research', { output: parseOutput(text(validSections.research).replace('## Summary', '## Sum')) }),
      ['BASE-004?'],
    ],
    ['a file changed after its entry', createFacts('research', { writtenAt: 5000, addedAt: 1000 }), ['BASE-004?']],
    ['a file written before its entry', createFacts('research', { writtenAt: 1000, addedAt: 5000 }), []],
    ['never focused', createFacts('research', { acts }), ['BASE-005!']],
    ['focused by another', createFacts('research', { acts: [{ act: 'focus', agent: 'lead', seq: 1 }, ...acts] }), ['BASE-005!']],
    ['focused after completion', createFacts('research', { acts: [...acts, { act: 'focus', agent: 'sub', seq: 3 }] }), ['BASE-005!']],
    ['a link to an unknown task', createFacts('research', { unknownTasks: ['T404'] }), ['BASE-006!']],
    [
      'a file with another status',
      createFacts('research', { output: parseOutput(text(validSections.research, 'partial')) }),
      ['BASE-006!'],
    ],
    ['not linked', createFacts('research', { entry: { ...entry, linked_tasks: ['T003'] } }), ['BASE-007?']],
  ];
  test.each(table)('%s', (_, facts, findings) => expect(listProblems(facts)).toEqual(findings));

  test('fails an empty file', () => {
    expect(listProblems(createFacts('research', { output: parseOutput(' \n') }))).toContain('BASE-004!');
  });

  test('only warns about missing parts of partial work', () => {
    const partial = {
      entry: { ...entry, status: 'partial' as const, key_findings: [] },
      output: parseOutput(text('', 'partial')),
      message: formatReturnMessage('Research', 'partial'),
    };
    const open = { ...partial, task: { ...createFacts().task, status: 'active' as const }, acts: [createFacts().acts[0]!] };
    expect(listProblems(createFacts('research', open))).toEqual(['RSCH-001?', 'RSCH-002?', 'RSCH-004?']);
    expect(listProblems(createFacts('research', partial))).toContain('BASE-003!');
  });

  test('accepts any agent for focus and completion without a spawn', () => {
    expect(
      listProblems(
        omit(
          'spawn',
          createFacts('research', {
            acts: [
              { act: 'focus', agent: 'a', seq: 1 },
              { act: 'complete', agent: 'b', seq: 2 },
            ],
          }),
        ),
      ),
    ).toEqual(['SPAWN-001!']);
  });
});

describe('protocols', () => {
  const createBareFacts = (protocol: ProtocolName, more: Partial<ProtocolFacts> = {}): ProtocolFacts =>
    createFacts(protocol, {
      entry: { ...entry, agent_type: protocol, key_findings: [], topics: [], linked_tasks: ['T002'] },
      output: parseOutput(text('')),
      parts: [],
      task: { id: 'T002', status: 'done', files: [], acceptance: [{ kind: 'text', text: 'x' }] },
      ...more,
    });
  const bad = { id: 'T003', isDescribed: false, hasCriteria: true, files: 4 };
  const table: [ProtocolName, ProtocolFacts, string[]][] = [
    ['research', createBareFacts('research'), ['RSCH-001?', 'RSCH-002?', 'RSCH-003?', 'RSCH-004?']],
    ['consensus', createBareFacts('consensus'), ['CONS-001?', 'CONS-002?', 'CONS-003?', 'CONS-004?']],
    ['specification', createBareFacts('specification'), ['SPEC-001!', 'SPEC-002?', 'SPEC-003?', 'SPEC-004?']],
    ['decomposition', createBareFacts('decomposition'), ['DCMP-001!']],
    [
      'decomposition',
      createBareFacts('decomposition', { parts: [bad], output: parseOutput(text('It takes about 3 days.')) }),
      ['DCMP-002!', 'DCMP-003!', 'DCMP-004?'],
    ],
    ['implementation', createBareFacts('implementation'), ['IMPL-001?', 'IMPL-002?', 'IMPL-003?', 'IMPL-004?']],
    ['contribution', createBareFacts('contribution'), ['CONT-001!', 'CONT-002?', 'CONT-003?']],
    ['release', createBareFacts('release'), ['RLSE-001!', 'RLSE-002?', 'RLSE-003?', 'RLSE-004?']],
    ['artifact-publish', createBareFacts('artifact-publish'), ['ARTP-001?', 'ARTP-002!', 'ARTP-003?']],
    ['provenance', createBareFacts('provenance'), ['PROV-001!', 'PROV-002!', 'PROV-003?', 'PROV-004?']],
  ];
  test.each(table)('%s: reports every broken rule', (_, facts, findings) => expect(listProblems(facts)).toEqual(findings));

  test.each(protocolNames)('%s: has the rules of its text, as MUST or SHOULD', (name) => {
    const stated = [...protocols[name].matchAll(/^\| ([A-Z]+-\d{3}) \| You (MUST(?: NOT)?|SHOULD) /gm)].map(([, id, force]) => [
      id,
      force !== 'SHOULD',
    ]);
    expect(protocolRules[name].map(({ id, isMust }) => [id, isMust])).toEqual(stated);
    expect(protocols[name]).toContain(`\`${protocolTable[name].title}\``);
    expect(protocols[name]).toContain(`\`agent_type\` is \`${name}\``);
  });

  test('have a text each', () => expect(Object.keys(protocols).sort()).toEqual([...protocolNames].sort()));

  test('check the rules that the base protocol states', () => {
    const stated = [...baseProtocol.matchAll(/^\| (BASE-\d{3}) \|/gm)].map(([, id]) => id);
    expect(checkProtocol(createFacts()).flatMap(({ rule }) => (rule.startsWith('BASE') ? [rule] : []))).toEqual(stated);
    for (const status of ['complete', 'partial', 'blocked'] as const)
      expect(baseProtocol).toContain(`\`${formatReturnMessage('Type', status)}\``);
  });
});

test('takes the exit code from the worst failure', () => {
  const fail = (...rules: string[]) => rules.map((rule) => ({ rule, result: 'fail' as const, message: '' }));
  expect(findWorst(fail('BASE-003', 'BASE-002', 'BASE-001', 'SPAWN-001'))?.exit).toBe(60);
  expect(findWorst(fail('BASE-003', 'BASE-002', 'BASE-001'))?.exit).toBe(62);
  expect(findWorst(fail('BASE-003', 'BASE-002'))?.exit).toBe(61);
  expect(findWorst(fail('RSCH-001', 'BASE-003'))).toMatchObject({ exit: 6, finding: { rule: 'RSCH-001' } });
  expect(findWorst([{ rule: 'BASE-001', result: 'warn', message: '' }])).toBeUndefined();
});
