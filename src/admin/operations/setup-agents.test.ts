import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openApp } from '../../../test/app.ts';

/** Sets up Claude Code, for the tests of its agent files. */
const project = async () => {
  const { root, call } = await openApp();
  return {
    root,
    read: (file: string): string => readFileSync(join(root, file), 'utf8'),
    has: (file: string): boolean => existsSync(join(root, file)),
    setup: (params: Record<string, unknown> = {}) => call('admin.setup', { client: 'claude', ...params }),
  };
};
const listFiles = (root: string): string[] =>
  readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => !/cleo\.db|home/.test(name));

test('writes agents without hooks, and removes their folder again', async () => {
  const { root, setup, has } = await project();
  const before = listFiles(root);
  expect((await setup({ hooks: false })).clients[0].has).toEqual(['mcp', 'agents', 'text']);
  expect(has('.claude/settings.json')).toBe(false);
  await setup({ remove: true });
  expect(listFiles(root)).toEqual(before);
  expect(has('.claude')).toBe(false);
});

test('writes no agents with agents: false', async () => {
  const { setup, has } = await project();
  await setup({ agents: false });
  expect(has('.claude/agents')).toBe(false);
  expect((await setup()).files).toEqual([
    { file: '.claude/agents/cleo-subagent.md', change: 'created' },
    { file: '.claude/agents/cleo-validator.md', change: 'created' },
  ]);
});

test('keeps a changed agent file and warns about it', async () => {
  const { root, setup, read, has } = await project();
  await setup();
  writeFileSync(join(root, '.claude/agents/cleo-validator.md'), 'Mine now.');
  const again = await setup();
  expect(again._meta).toMatchObject({ exitCode: 101, warnings: ['.claude/agents/cleo-validator.md was not written by cleo and is kept'] });
  const { _meta } = await setup({ remove: true });
  expect(_meta.warnings).toEqual(['.claude/agents/cleo-validator.md was changed and is kept']);
  expect(read('.claude/agents/cleo-validator.md')).toBe('Mine now.');
  expect(has('.claude/agents/cleo-subagent.md')).toBe(false);
});
