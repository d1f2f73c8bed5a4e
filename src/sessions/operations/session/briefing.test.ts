import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openApp } from '../../../../test/app.ts';
import { countRealTokens } from '../../../../test/real-tokens.ts';

const world = ['T001 epic: Parser', 'T002 in T001: Grammar', 'session session-1 epic:T001 by tester: Work'];

test('lists open decisions, newest first, with the command that shows all of them', async () => {
  const decisions = Array.from({ length: 60 }, (_, i) => `memory decision about T002: Decision ${i} on tokens`);
  const { call, cli } = await openApp({ tasks: [...world, ...decisions, 'memory decision accepted: Settled'] });
  const { briefing } = await call('session.briefing', { budget: 20_000 });
  expect(briefing.openDecisions).toHaveLength(50);
  expect(briefing.openDecisions[0]).toEqual({ id: 'D-060', title: expect.stringContaining('Decision 59') });
  const { briefing: some, omitted } = await call('session.briefing', { budget: 600 });
  expect(omitted).toEqual([
    { section: 'openDecisions', count: 60 - some.openDecisions.length, expand: 'cleo memory find --type decision --state proposed' },
  ]);
  expect((await cli(omitted[0].expand)).exitCode).toBe(0);
  expect((await cli('cleo briefing --human')).out).toContain('## To be decided\n- D-060 Decision 59');
});

test('clips a long note and refers to the session', async () => {
  const { call } = await openApp({ tasks: world });
  const note = 'What I did and why. '.repeat(190).trim();
  await call('session.end', { note });
  const { briefing, omitted } = await call('session.briefing', { budget: 600 });
  expect(briefing.handoff.note).toMatch(/^What I did.*…$/);
  expect(omitted).toEqual([{ section: 'note', count: 1, expand: 'cleo session show session-1' }]);
});

test('stays within its budget as tokenizers count it, as JSON and as text, and names the smallest budget that works', async () => {
  const words = fc.stringMatching(/^[a-z\u4e00-\u4fff\n<>{}"' 🍳-]{1,150}$/u).map((said) => said.toWellFormed());
  const { call, cli } = await openApp({
    tasks: [...world, ...Array.from({ length: 40 }, (_, i) => `T${i + 100} in T001 blocked: In the way ${i}, as a title says it`)],
    config: { hierarchy: { maxSiblings: 0 } },
  });
  await call('tasks.start', { taskId: 'T002' });
  await fc.assert(
    fc.asyncProperty(words, fc.integer({ min: 150, max: 1200 }), async (said, budget) => {
      await call('tasks.update', { taskId: 'T002', notes: `decision: ${said}` });
      const { out, envelope } = await cli(['briefing', '--budget', String(budget)]);
      if (!envelope.success) {
        expect(envelope.error.code).toBe('E_VALIDATION_BUDGET');
        expect((await cli(envelope.error.fix)).exitCode).toBe(0);
        expect(budget).toBeLessThan(250);
        return;
      }
      expect(countRealTokens(out)).toBeLessThanOrEqual(budget);
      expect(countRealTokens((await cli(['briefing', '--budget', String(budget), '--human'])).out)).toBeLessThanOrEqual(budget);
    }),
    { numRuns: 25, seed: 6 },
  );
  await call('session.end', { note: '終わり\n'.repeat(900) });
  for (const budget of [250, 600, 2000]) {
    expect(countRealTokens((await cli(['briefing', '--budget', String(budget)])).out)).toBeLessThanOrEqual(budget);
    expect(countRealTokens((await cli(['briefing', '--budget', String(budget), '--human'])).out)).toBeLessThanOrEqual(budget);
  }
});
