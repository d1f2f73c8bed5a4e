import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openApp } from '../../test/app.ts';

const issue = (id: string, more: object = {}): string => JSON.stringify({ id, title: `Issue ${id}`, status: 'open', priority: 2, ...more });

test('prints the counts of an import first, then losses, then some ids', async () => {
  const { root, cli } = await openApp();
  const content = [issue('a0', { spec_id: 's-1' }), ...Array.from({ length: 13 }, (_, i) => issue(`a${i + 1}`))].join('\n');
  writeFileSync(join(root, 'issues.jsonl'), content);
  const { out } = await cli(['import', 'issues.jsonl', '--from', 'beads', '--human']);
  const plain = out.replace(/\u001b\[\d+m/g, '');
  expect(plain).toMatch(
    /^imported {3}14\nupdated {4}0\nunchanged {2}0\n\nlosses\n {2}COUNT {2}FIELD {4}WHY .*EXAMPLES\n {6}1 {2}spec_id {2}tasks have no such field; added to the description {2}a0/,
  );
  expect(plain).toContain('a0 → T001, a1 → T002');
  expect(plain).toContain('… cleo imported');
  expect((await cli(['imported', 'a3', '--human'])).out).toMatch(/a3.*T004.*beads/);
});
