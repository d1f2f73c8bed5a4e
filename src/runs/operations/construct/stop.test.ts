import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { chainLines, startTime } from '../../../../test/run-files.ts';
import { openSkillProject } from '../../../../test/skill-project.ts';

const construct = 'execution: {phases: [p]}\nskills: [{name: wait, phase: p}, {name: after, phase: p}]\n';

test('shows the redacted output of an active run, stops it, and leaves it to be resumed', async () => {
  const shop = await openSkillProject({ env: { DEPLOY_TOKEN: 'tok-1234567890abcdef' } });
  shop.writeConstruct(construct);
  shop.writeSkill('wait', 'echo "token tok-1234567890abcdef"; echo oops >&2; [ -f go ] || sleep 60');
  shop.writeSkill('after', 'echo last');
  const ended = shop.runConstruct();
  const [active] = await vi.waitFor(
    async () => {
      const { runs } = await shop.call('trace.list', { status: 'running' });
      const { outputs } = await shop.call('trace.output', { run: runs[0]?.id, stream: 'stderr' });
      expect(outputs).toMatchObject([{ phase: 'p', skill: 'wait', attempt: 1, stream: 'stderr', text: 'oops\n', bytes: 5, isCut: false }]);
      return runs;
    },
    { timeout: 10_000 },
  );
  const { outputs } = await shop.call('trace.output', { run: active.id, skill: 'wait', limit: 1 });
  expect(outputs.map(({ stream }: { stream: string }) => stream)).toEqual(['stdout', 'stderr']);
  expect(outputs[0].text).toMatch(/^token .*redacted.*\n$/i);
  expect(await shop.call('construct.stop', { run: active.id, reason: 'wrong branch' })).toMatchObject({
    success: true,
    stopped: { id: active.id, status: 'cancelled', exitCode: 130 },
  });
  expect((await ended).error).toMatchObject({ exitCode: 130 });
  expect(shop.readEvents().at(-1)).toMatchObject({
    event: 'run_completed',
    data: { status: 'cancelled', warnings: [{ code: 'stopped', message: expect.stringMatching(/^stopped by .+: wrong branch$/) }] },
  });
  expect(await shop.call('construct.stop', { run: active.id })).toMatchObject({ _meta: { exitCode: 102 } });
  shop.writeFile('go', '');
  // The request is for the process that was stopped. This test resumes in the same process, so it is removed as a new process would see it.
  writeFileSync(join(shop.root, '.cleo', 'runs', active.id, 'stop.json'), '{"pid": 1, "began": "long ago", "by": "ada"}');
  expect(await shop.runConstruct({ resume: active.id })).toMatchObject({ run: { status: 'success' } });
  expect(await shop.call('trace.output', { run: active.id, skill: 'after' })).toMatchObject({ outputs: [{ text: 'last\n' }] });
  expect((await shop.cli(['trace', 'output', active.id, '--skill', 'after', '--human'])).out).toBe('p/after attempt 1 stdout\nlast\n');
});

test('reads no file outside the run, whatever its trace names', async () => {
  const shop = await openSkillProject();
  const folder = join(shop.root, '.cleo');
  shop.writeFile('secret/stdout.log', 'hidden\n');
  const names = [
    { phase: '..', skill: 'it', attempt: 1 },
    { phase: 'p', skill: '../../../../secret', attempt: 0.5 },
    { phase: 'p', skill: 'link', attempt: 1 },
  ];
  const lines = chainLines(
    'run-a',
    startTime,
    names.map((name) => ['attempt_started', {}, name]),
  );
  mkdirSync(join(folder, 'traces'), { recursive: true });
  writeFileSync(join(folder, 'traces', '2026-01-01-run-a.jsonl'), `${lines.join('\n')}\n`);
  mkdirSync(join(folder, 'runs', 'run-a', 'p', 'link', '1'), { recursive: true });
  symlinkSync(join(shop.root, 'secret', 'stdout.log'), join(folder, 'runs', 'run-a', 'p', 'link', '1', 'stdout.log'));
  expect(await shop.call('trace.output', { run: 'run-a' })).toMatchObject({ outputs: [], _meta: { exitCode: 100 } });
});

test('shows the end of a long output', async () => {
  const shop = await openSkillProject();
  shop.writeSkill('many', 'i=0; while [ $i -lt 30000 ]; do echo "line $i"; i=$((i+1)); done');
  const { id: run } = (await shop.call('skills.run', { name: 'many' })).run;
  const { outputs } = await shop.call('trace.output', { run, limit: 0 });
  expect(outputs).toMatchObject([{ isCut: true, bytes: 318_890 }]);
  expect(outputs[0].text.length).toBeLessThan(1 << 16);
  expect(outputs[0].text).toMatch(/^line \d+\n(?:line \d+\n)*line 29999\n$/);
  expect((await shop.call('trace.output', { run, limit: 2 })).outputs[0].text).toBe('line 29998\nline 29999\n');
});
