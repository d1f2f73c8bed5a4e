import { describe, expect, test } from 'vitest';
import { baseProtocol, protocols } from '#orchestration/protocols.generated.ts';
import { type ProtocolName, protocolNames, protocolTable } from '#skills/model/protocol.ts';
import type { ReadEntry } from '../model/manifest.ts';
import { readOutput } from './output-file.ts';
import { gravest, type ProtocolFacts, protocolFindings } from './protocol-check.ts';
import { protocolRules } from './protocol-rules.ts';
import { returnMessage } from './return-message.ts';

const entry: ReadEntry = {
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
const kept: Record<ProtocolName, string> = {
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

function facts(protocol: ProtocolName = 'research', more: Partial<ProtocolFacts> = {}): ProtocolFacts {
  return {
    task: { id: 'T002', status: 'done', files: ['a.ts'], acceptance: [] },
    epicOf: () => 'T001',
    spawn: { agent: 'sub', hasProtocol: true },
    protocol,
    entry: { ...entry, agent_type: protocol },
    lines: 1,
    unknown: [],
    output: readOutput(text(kept[protocol]).replace('---', '**Version**: 1')),
    message: returnMessage(protocolTable[protocol].title, 'complete'),
    acts: [
      { act: 'focus', agent: 'sub', seq: 1 },
      { act: 'complete', agent: 'sub', seq: 2 },
    ],
    parts: [{ id: 'T003', isDescribed: true, hasCriteria: true, files: 1 }],
    ...more,
  };
}
/** `BASE-003!` failed, `BASE-007?` warns. */
const wrong = (given: ProtocolFacts): string[] =>
  protocolFindings(given).flatMap(({ rule, result }) => (result === 'pass' ? [] : [`${rule}${result === 'fail' ? '!' : '?'}`]));
const without = <K extends keyof ProtocolFacts>(key: K, given = facts()): ProtocolFacts => {
  const { [key]: _, ...rest } = given;
  return rest as ProtocolFacts;
};

test.each(protocolNames)('%s: work that keeps it passes every rule', (name) => {
  expect(wrong(facts(name))).toEqual([]);
  expect(gravest(protocolFindings(facts(name)))).toBeUndefined();
});

describe('the base protocol', () => {
  const acts: ProtocolFacts['acts'] = [{ act: 'complete', agent: 'sub', seq: 2 }];
  const table: [string, ProtocolFacts, string[]][] = [
    ['never handed out', without('spawn'), ['SPAWN-001!']],
    ['handed out without a protocol', facts('research', { spawn: { agent: 'sub', hasProtocol: false } }), ['SPAWN-001!']],
    [
      'no entry',
      without('entry', without('output')),
      ['BASE-001!', 'BASE-004?', 'BASE-006?', 'BASE-007?', 'RSCH-001?', 'RSCH-002?', 'RSCH-003?', 'RSCH-004?'],
    ],
    ['an entry twice', facts('research', { lines: 2 }), ['BASE-001?']],
    ['no message to look at', without('message'), ['BASE-002?']],
    ['a message with content', facts('research', { message: 'I found this: …' }), ['BASE-002!']],
    ['a message that says otherwise', facts('research', { message: returnMessage('Research', 'partial') }), ['BASE-002!']],
    ['a message of another protocol', facts('research', { message: returnMessage('Release', 'complete') }), ['BASE-002?']],
    ['not done', facts('research', { task: { ...facts().task, status: 'active' } }), ['BASE-003!']],
    ['completed by another', facts('research', { acts: [facts().acts[0]!, { act: 'complete', agent: 'lead', seq: 2 }] }), ['BASE-003!']],
    ['done, nobody knows how', facts('research', { acts: [facts().acts[0]!] }), ['BASE-003?']],
    ['no file', without('output'), ['BASE-004!', 'RSCH-001?', 'RSCH-002?', 'RSCH-003?', 'RSCH-004?']],
    [
      'a file of another form',
      facts('research', { output: readOutput(text(kept.research).replace('## Summary', '## Sum')) }),
      ['BASE-004?'],
    ],
    ['a file changed after its entry', facts('research', { writtenAt: 5000, addedAt: 1000 }), ['BASE-004?']],
    ['a file written before it', facts('research', { writtenAt: 1000, addedAt: 5000 }), []],
    ['never focused', facts('research', { acts }), ['BASE-005!']],
    ['focused by another', facts('research', { acts: [{ act: 'focus', agent: 'lead', seq: 1 }, ...acts] }), ['BASE-005!']],
    ['focused after the end', facts('research', { acts: [...acts, { act: 'focus', agent: 'sub', seq: 3 }] }), ['BASE-005!']],
    ['a link to a task that is not there', facts('research', { unknown: ['T404'] }), ['BASE-006!']],
    ['a file that says otherwise', facts('research', { output: readOutput(text(kept.research, 'partial')) }), ['BASE-006!']],
    ['not linked', facts('research', { entry: { ...entry, linked_tasks: ['T003'] } }), ['BASE-007?']],
  ];
  test.each(table)('%s', (_, given, findings) => expect(wrong(given)).toEqual(findings));

  test('an empty file fails', () => {
    expect(wrong(facts('research', { output: readOutput(' \n') }))).toContain('BASE-004!');
  });

  test('work that is partial stays open, and what it lacks is a warning', () => {
    const partial = {
      entry: { ...entry, status: 'partial' as const, key_findings: [] },
      output: readOutput(text('', 'partial')),
      message: returnMessage('Research', 'partial'),
    };
    const open = { ...partial, task: { ...facts().task, status: 'active' as const }, acts: [facts().acts[0]!] };
    expect(wrong(facts('research', open))).toEqual(['RSCH-001?', 'RSCH-002?', 'RSCH-004?']);
    expect(wrong(facts('research', partial))).toContain('BASE-003!');
  });

  test('without a spawn anyone may have focused and completed it', () => {
    expect(
      wrong(
        without(
          'spawn',
          facts('research', {
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

describe('the protocols', () => {
  const bare = (protocol: ProtocolName, more: Partial<ProtocolFacts> = {}): ProtocolFacts =>
    facts(protocol, {
      entry: { ...entry, agent_type: protocol, key_findings: [], topics: [], linked_tasks: ['T002'] },
      output: readOutput(text('')),
      parts: [],
      task: { id: 'T002', status: 'done', files: [], acceptance: [{ kind: 'text', text: 'x' }] },
      ...more,
    });
  const bad = { id: 'T003', isDescribed: false, hasCriteria: true, files: 4 };
  const table: [ProtocolName, ProtocolFacts, string[]][] = [
    ['research', bare('research'), ['RSCH-001!', 'RSCH-002!', 'RSCH-003!', 'RSCH-004?']],
    ['consensus', bare('consensus'), ['CONS-001!', 'CONS-002!', 'CONS-003?', 'CONS-004?']],
    ['specification', bare('specification'), ['SPEC-001!', 'SPEC-002!', 'SPEC-003?', 'SPEC-004?']],
    ['decomposition', bare('decomposition'), ['DCMP-001!']],
    [
      'decomposition',
      bare('decomposition', { parts: [bad], output: readOutput(text('It takes about 3 days.')) }),
      ['DCMP-002!', 'DCMP-003!', 'DCMP-004?'],
    ],
    ['implementation', bare('implementation'), ['IMPL-001!', 'IMPL-002!', 'IMPL-003?', 'IMPL-004?']],
    ['contribution', bare('contribution'), ['CONT-001!', 'CONT-002!', 'CONT-003?']],
    ['release', bare('release'), ['RLSE-001!', 'RLSE-002!', 'RLSE-003!', 'RLSE-004?']],
    ['artifact-publish', bare('artifact-publish'), ['ARTP-001!', 'ARTP-002!', 'ARTP-003?']],
    ['provenance', bare('provenance'), ['PROV-001!', 'PROV-002!', 'PROV-003!', 'PROV-004?']],
  ];
  test.each(table)('%s: work that is bare breaks it', (_, given, findings) => expect(wrong(given)).toEqual(findings));

  test.each(protocolNames)('%s: the rules are those of its text, with their force', (name) => {
    const stated = [...protocols[name].matchAll(/^\| ([A-Z]+-\d{3}) \| You (MUST(?: NOT)?|SHOULD) /gm)].map(([, id, force]) => [
      id,
      force !== 'SHOULD',
    ]);
    expect(protocolRules[name].map(({ id, isMust }) => [id, isMust])).toEqual(stated);
    expect(protocols[name]).toContain(`\`${protocolTable[name].title}\``);
    expect(protocols[name]).toContain(`\`agent_type\` in the manifest is \`${name}\``);
  });

  test('there is a text for each, and none for others', () => expect(Object.keys(protocols).sort()).toEqual([...protocolNames].sort()));

  test('the base protocol states what is judged', () => {
    const stated = [...baseProtocol.matchAll(/^\| (BASE-\d{3}) \|/gm)].map(([, id]) => id);
    expect(protocolFindings(facts()).flatMap(({ rule }) => (rule.startsWith('BASE') ? [rule] : []))).toEqual(stated);
    for (const status of ['complete', 'partial', 'blocked'] as const)
      expect(baseProtocol).toContain(`\`${returnMessage('Type', status)}\``);
  });
});

test('of several things the gravest gives the exit code', () => {
  const fail = (...rules: string[]) => rules.map((rule) => ({ rule, result: 'fail' as const, message: '' }));
  expect(gravest(fail('BASE-003', 'BASE-002', 'BASE-001', 'SPAWN-001'))?.exit).toBe(60);
  expect(gravest(fail('BASE-003', 'BASE-002', 'BASE-001'))?.exit).toBe(62);
  expect(gravest(fail('BASE-003', 'BASE-002'))?.exit).toBe(61);
  expect(gravest(fail('RSCH-001', 'BASE-003'))).toMatchObject({ exit: 6, finding: { rule: 'RSCH-001' } });
  expect(gravest([{ rule: 'BASE-001', result: 'warn', message: '' }])).toBeUndefined();
});
