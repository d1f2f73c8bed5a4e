import { expect, test } from 'vitest';
import { openWorkshop } from '../../../test/construct.ts';

test('skills.run: its exit code is the answer, and what it prints is there', async () => {
  const shop = await openWorkshop();
  shop.skill('hello', 'echo "{\\"said\\": \\"$CLEO_SKILL\\"}"');
  expect(await shop.call('skills.run', { name: 'hello' })).toMatchObject({
    _meta: { exitNamespace: 'skill' },
    primary: { said: 'hello' },
    run: { status: 'success', executions: [{ phase: 'skill', attempts: 1 }] },
  });
  expect((await shop.cli(['skill', 'run', 'hello', '--raw'])).out).toBe('{"said":"hello"}\n');
  shop.skill('hello', 'exit 75');
  expect((await shop.call('skills.run', { name: 'hello' })).error).toMatchObject({
    exitCode: 75,
    code: 'E_SKILL_TEMPORARY',
    details: { action: 'retry_later' },
  });
});

test('skills.run: files that it is to make are a gate', async () => {
  const shop = await openWorkshop();
  shop.skill('make', '[ -f ready ] && echo x > made.md; true');
  expect((await shop.call('skills.run', { name: 'make', outputs: ['made.md'] })).error).toMatchObject({ exitCode: 84 });
  shop.put('ready', '');
  expect(await shop.call('skills.run', { name: 'make', outputs: ['made.md'] })).toMatchObject({
    run: { executions: [{ artifacts: ['made.md'] }] },
  });
});
