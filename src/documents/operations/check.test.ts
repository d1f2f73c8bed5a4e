import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { completePrd, emptyPrd } from '../../../test/samples.ts';
import { openSkillProject } from '../../../test/skill-project.ts';

test('measures completeness and lists missing sections', async () => {
  const shop = await openSkillProject();
  shop.writeFile('prd.md', completePrd);
  shop.writeFile('empty.md', emptyPrd);
  const check = (params: Record<string, unknown>) => shop.call('docs.check', { schema: 'prd-v1', ...params });
  expect((await check({ file: 'prd.md' })).document).toEqual({ file: 'prd.md', schema: 'prd-v1', completeness: 1, min: 0.7 });
  expect((await check({ file: 'prd.md', explain: true })).document.sections).toHaveLength(7);
  const { error } = await check({ file: 'empty.md' });
  expect(error).toMatchObject({ exitCode: 65, details: { document: { completeness: 0 } } });
  expect(error.details.missing).toHaveLength(7);
  expect((await shop.cli(error.fix)).envelope.document.sections).toHaveLength(7);
  expect((await check({ file: 'empty.md', min: 0, require: ['goals'] })).error.message).toContain('lacks goals');
});

test('uses the exit codes of skills', async () => {
  const shop = await openSkillProject();
  shop.writeFile('prd.md', completePrd);
  const readExitCode = async (params: Record<string, unknown>): Promise<number> =>
    (await shop.call('docs.check', { file: 'prd.md', schema: 'prd-v1', ...params })).error?.exitCode;
  expect(await readExitCode({ file: 'nowhere.md' })).toBe(66);
  expect(await readExitCode({ schema: 'prd-v9' })).toBe(64);
  expect(await readExitCode({ require: ['golas'] })).toBe(64);
  expect(await readExitCode({ file: 'skills' })).toBe(66);
  expect(await readExitCode({ file: '../prd.md' })).toBe(66);
  expect(await readExitCode({ file: join(shop.root, 'prd.md') })).toBeUndefined();
  writeFileSync(join(shop.root, 'bytes.md'), Buffer.from([0x23, 0xff, 0xfe]));
  expect(await readExitCode({ file: 'bytes.md' })).toBe(65);
  expect(await readExitCode({ min: 80 })).not.toBe(0);
});

test('prefers a project schema and checks front matter', async () => {
  const shop = await openSkillProject();
  shop.writeFile(
    '.cleo/schemas/prd-v1.doc.yaml',
    'id: prd-v1\nsections: [{id: why, titles: [Problem], min_words: 1}]\nfront_matter: {type: object, required: [owner]}\n',
  );
  shop.writeFile('prd.md', completePrd);
  const check = () => shop.call('docs.check', { file: 'prd.md', schema: 'prd-v1' });
  expect((await check()).error.message).toContain("must have required property 'owner'");
  shop.writeFile('prd.md', `---\nowner: ada\n---\n${completePrd}`);
  expect((await check()).document.completeness).toBe(1);
  shop.writeFile('.cleo/schemas/another.doc.yaml', 'id: prd-v1\nsections: []\n');
  expect((await check()).error).toMatchObject({
    exitCode: 78,
    message: expect.stringContaining('prd-v1.doc.yaml have the same id prd-v1'),
  });
});
