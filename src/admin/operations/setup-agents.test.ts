import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openApp } from '../../../test/app.ts';

/** Claude Code: the agents that work is handed to. */
const project = async () => {
  const { root, call } = await openApp();
  return {
    root,
    read: (file: string): string => readFileSync(join(root, file), 'utf8'),
    has: (file: string): boolean => existsSync(join(root, file)),
    setup: (more: Record<string, unknown> = {}) => call('admin.setup', { client: 'claude', ...more }),
  };
};
const everything = (root: string): string[] =>
  readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => !/cleo\.db|home/.test(name));

test('come without hooks too, and leave no folder behind', async () => {
  const { root, setup, has } = await project();
  const before = everything(root);
  expect((await setup({ hooks: false })).clients[0].has).toEqual(['mcp', 'agents', 'text']);
  expect(has('.claude/settings.json')).toBe(false);
  await setup({ remove: true });
  expect(everything(root)).toEqual(before);
  expect(has('.claude')).toBe(false);
});

test('not where they are not wanted', async () => {
  const { setup, has } = await project();
  await setup({ agents: false });
  expect(has('.claude/agents')).toBe(false);
  expect((await setup()).files).toEqual([
    { file: '.claude/agents/cleo-subagent.md', change: 'created' },
    { file: '.claude/agents/cleo-validator.md', change: 'created' },
  ]);
});

test('one that was changed is said to stay, and does', async () => {
  const { root, setup, read, has } = await project();
  await setup();
  writeFileSync(join(root, '.claude/agents/cleo-validator.md'), 'Mine now.');
  const again = await setup();
  expect(again._meta).toMatchObject({ exitCode: 101, warnings: ['.claude/agents/cleo-validator.md is not as cleo wrote it, and stays'] });
  const { _meta } = await setup({ remove: true });
  expect(_meta.warnings).toEqual(['.claude/agents/cleo-validator.md was changed, and stays']);
  expect(read('.claude/agents/cleo-validator.md')).toBe('Mine now.');
  expect(has('.claude/agents/cleo-subagent.md')).toBe(false);
});
