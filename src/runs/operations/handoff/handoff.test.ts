import { expect, test } from 'vitest';
import { completePrd, emptyPrd } from '../../../../test/samples.ts';
import { openSkillProject } from '../../../../test/skill-project.ts';

test('handoff.check lists missing artifacts before anything runs', async () => {
  const shop = await openSkillProject();
  shop.writeConstruct(`execution: {phases: [a, b]}
contracts: {a: {outputs: [prd.md, "extra/*.md"]}}
assessment: {handoffs: {a_to_b: {required_artifacts: [prd.md], validation: {schema: prd-v1}}}}
`);
  const check = () => shop.call('handoff.check', { from: 'a', to: 'b' });
  expect((await check()).error).toMatchObject({
    exitCode: 80,
    code: 'E_SKILL_BLOCKED',
    details: { handoff: { missing: ['prd.md'], accepted: false } },
  });
  shop.writeFile('prd.md', emptyPrd);
  expect((await check()).error).toMatchObject({ exitCode: 80, details: { remediation: expect.stringContaining('risks') } });
  shop.writeFile('prd.md', completePrd);
  shop.writeFile('extra/note.md', 'x');
  expect((await check()).handoff).toMatchObject({
    accepted: true,
    completeness: 1,
    provided: [{ path: 'prd.md', completeness: 1 }],
    extra: ['extra/note.md'],
  });
  expect((await shop.call('handoff.check', { from: 'a', to: 'c' })).error).toMatchObject({ exitCode: 64, fix: 'cleo handoff check a b' });
});
