import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { registry } from '../../src/core/index.generated.ts';
import { baseProtocol, protocols } from '../../src/orchestration/protocols.generated.ts';
import { openApp, type TestApp } from '../app.ts';

const tokens: Record<string, string> = {
  AGENT_ID: 'sub',
  TASK_ID: 'T002',
  EPIC_ID: 'T001',
  DATE: '2026-01-01',
  TOPIC_SLUG: 'parsers',
  OUTPUT_DIR: '.cleo/research/T002',
  MANIFEST_PATH: '.cleo/research/MANIFEST.jsonl',
  TASK_SHOW_CMD: 'cleo show',
  TASK_FOCUS_CMD: 'cleo start',
  TASK_COMPLETE_CMD: 'cleo complete',
  TASK_LINK_CMD: 'cleo research link',
};
const fillTokens = (text: string): string => text.replace(/\{\{([A-Z_]+)\}\}/g, (_, name) => tokens[name] ?? `<${name}>`);
const texts = [baseProtocol, ...Object.values(protocols)].map(fillTokens);

/** Texts in backticks and lines of command blocks. */
const commands = [
  ...new Set(
    texts.flatMap((text) => [
      ...[...text.matchAll(/```bash\n([\s\S]*?)```/g)].flatMap(([, block]) => block!.trim().split('\n')),
      ...[...text.replace(/```[\s\S]*?```/g, '').matchAll(/`(cleo [^`\n]+)`/g)].map(([, words]) => words!),
    ]),
  ),
];

const places: [RegExp, string][] = [
  [/<entry>/g, 'T002-known'],
  [/<topic>/g, 'parsers'],
  [/<words>|<title>|<why>|<verdict>/g, 'Parsers'],
  [/<a,b>/g, 'a.ts,b.ts'],
  [/<n>/g, '1'],
  [/<version>/g, 'v1.0.0'],
];

const world = ['T001 epic', 'T002 in T001 accept one: Look at parsers', 'T003 in T001', 'research T002-known: Known'];

/** Situations in which the commands are used: during and after the work. */
const days: ((app: TestApp) => Promise<unknown>)[] = [
  async () => {},
  async ({ call }) => {
    await call('tasks.start', { taskId: 'T002' });
    await call('tasks.criteria.check', { taskId: 'T002', n: 1 });
  },
  async ({ call }) => call('release.create', { version: 'v1.0.0' }),
];

test('finds commands, and a spawn fills every token', () => {
  expect(commands.length).toBeGreaterThan(15);
  expect(texts.filter((text) => /<[A-Z_]+>/.test(text))).toEqual([]);
});

const names = new Set(registry.entries.flatMap((entry) => entry.commands.map((words) => `cleo ${words}`)));

test.each(commands)('%s', async (command) => {
  if (names.has(command)) return;
  const refusals: string[] = [];
  for (const arrange of days) {
    const app = await openApp({ tasks: world });
    await arrange(app);
    const batch = join(app.root, 'batch.json');
    writeFileSync(batch, JSON.stringify([{ title: 'One', parent: 'T001' }]));
    const line = places.reduce((text, [place, value]) => text.replace(place, value), command).replace('--file - ', `--file ${batch} `);
    const { exitCode, envelope } = await app.cli(line);
    // Allowed: nothing is known yet, or the task was done without a spawn.
    if ([0, 60, 100, 101].includes(exitCode)) return;
    // A release needs a repository, so only check that the command line is understood.
    if (command.startsWith('cleo release ') && ![1, 2].includes(exitCode)) return;
    refusals.push(`${exitCode} ${envelope.error?.message}`);
  }
  expect(refusals).toEqual([]);
});

describe('the format of other agent documentation', () => {
  const line = (id: string): string =>
    `{"id":"${id}","file":"docs/parsers.md","title":"...","date":"2026-01-01","status":"complete","agent_type":"research","topics":[],"key_findings":[],"actionable":true,"needs_followup":[],"linked_tasks":["T002"]}`;

  test('a manifest line and a file in that format are read, linked and listed', async () => {
    const app = await openApp({ tasks: world.slice(0, 3) });
    mkdirSync(join(app.root, '.cleo', 'research'));
    mkdirSync(join(app.root, 'docs'));
    writeFileSync(
      join(app.root, 'docs', 'parsers.md'),
      '# Parsers\n\n**Task**: T002\n**Epic**: T001\n**Date**: 2026-01-01\n**Status**: complete\n\n---\n\n## Summary\nTwo.\n\n## Content\nBoth.\n',
    );
    appendFileSync(join(app.root, '.cleo', 'research', 'MANIFEST.jsonl'), `${line('T002-slug')}\n`);
    expect(await app.call('research.list')).toMatchObject({ success: true, entries: [{ id: 'T002-slug' }] });
    expect(await app.call('research.show', { entryId: 'T002-slug' })).toMatchObject({
      success: true,
      entry: { file: 'docs/parsers.md' },
    });
    expect((await app.cli('cleo research link T003 T002-slug')).exitCode).toBe(0);
    expect(await app.call('research.link', { taskId: 'T003', entryId: 'T002-slug' })).toMatchObject({ _meta: { exitCode: 101 } });
    expect((await app.cli('cleo validate manifest')).exitCode).toBe(0);
    expect((await app.cli(['research', 'add', '--entry', line('T002-more')])).exitCode).toBe(0);
  });
});
