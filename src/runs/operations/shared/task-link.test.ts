import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openSkillProject, type SkillProject } from '../../../../test/skill-project.ts';

const manifest = (more = ''): string => `${more}
execution: {phases: [look, plan]}
skills: [{name: reader, phase: look}, {name: planner, phase: plan}]
contracts: {look: {outputs: [note.md]}, plan: {outputs: [plan.md]}}
`;

async function shop(more = '', tasks = ['T001 epic', 'T002 in T001', 'T003']): Promise<SkillProject> {
  const open = await openSkillProject({ tasks });
  open.writeConstruct(manifest(more));
  open.writeSkill('reader', 'echo read > note.md');
  open.writeSkill('planner', '[ -e stop ] && exit 1; echo planned > plan.md');
  return open;
}

const notes = async ({ call }: SkillProject, taskId: string): Promise<string[]> =>
  ((await call('tasks.show', { taskId })).task.notes ?? []).map(({ text }: { text: string }) => text);
const stages = async ({ call }: SkillProject, epicId = 'T001'): Promise<string[]> =>
  (await call('lifecycle.status', { epicId })).lifecycle.stages.map(
    ({ stage, status }: { stage: string; status: string }) => `${stage} ${status}`,
  );

test('a run with a task adds a note and a receipt', async () => {
  const open = await shop();
  const { run, data, error } = await open.runConstruct({ task: 'T002' });
  expect(error).toBeUndefined();
  expect(run.task).toEqual({ id: 'T002', note: `${run.id} (demo 1.0.0) succeeded; it wrote note.md, plan.md`, evidence: `run:${run.id}` });
  expect(await notes(open, 'T002')).toEqual([run.task.note]);
  expect(data).toMatchObject({ created: [run.id], updated: ['T002'] });
  const { entries } = await open.call('admin.log', { operation: 'construct.run' });
  expect(entries[0]).toMatchObject({ created: [run.id], updated: ['T002'], success: true });
});

test('a skill run adds a note too, but not if it fails', async () => {
  const open = await shop();
  const { run } = await open.call('skills.run', { name: 'reader', task: 'T002' });
  expect(run.task.note).toBe(`${run.id} (reader) succeeded; it wrote no files`);
  open.writeFile('stop', '');
  expect((await open.runConstruct({ task: 'T002' })).error.exitCode).toBe(1);
  expect(await notes(open, 'T002')).toHaveLength(1);
});

test('a run is evidence for its task while its files are unchanged', async () => {
  const open = await shop('', ['T001 evidence implemented', 'T002']);
  const { run } = await open.runConstruct({ task: 'T001' });
  expect(run.task.verify).toBe(`cleo verify T001 --gate implemented --evidence run:${run.id}`);
  const { verification } = await open.call('verify.gate', { taskId: 'T001', gate: 'implemented', evidence: run.task.evidence });
  expect(verification.evidence).toMatchObject([{ kind: 'run', run: run.id, files: [{ path: 'note.md' }, { path: 'plan.md' }] }]);
  open.writeFile('plan.md', 'another');
  const { error } = await open.call('tasks.complete', { taskId: 'T001' });
  expect(error).toMatchObject({ code: 'E_EVIDENCE_STALE', fix: expect.stringContaining('files:note.md,plan.md') });
});

test('refuses a run that failed, changed or belongs to another task as evidence', async () => {
  const open = await shop('', ['T001 evidence implemented', 'T002 evidence implemented', 'T003 evidence implemented']);
  const bring = async (taskId: string, id: string): Promise<string> =>
    (await open.call('verify.gate', { taskId, gate: 'implemented', evidence: `run:${id}` })).error?.message;
  const { run } = await open.runConstruct({ task: 'T001' });
  expect(await bring('T002', run.id)).toContain(`${run.id} was for T001: run it with \`task\` T002`);
  expect(await bring('T002', 'run-nothing')).toContain('there is no run "run-nothing"');
  expect(await bring('T002', '../../x')).toContain('there is no run "../../x"');
  open.writeFile('stop', '');
  const failed = (await open.runConstruct({ task: 'T003' })).error.details.run.id;
  expect(await bring('T003', failed)).toContain(`${failed} ended as failure (1)`);
  open.writeFile('plan.md', 'another');
  expect(await bring('T001', run.id)).toContain(`plan.md changed after ${run.id}`);
  writeFileSync(join(open.root, run.trace), 'x\n');
  expect(await bring('T001', run.id)).toContain('was changed: line 1');
  rmSync(join(open.root, run.trace));
  expect(await bring('T001', run.id)).toContain(`the trace of ${run.id} is missing`);
});

test('refuses a run that the audit log does not contain, however well it is forged', async () => {
  const open = await shop('', ['T001', 'T002 evidence implemented', 'gate T002 implemented by ada']);
  const { run } = await open.runConstruct({ task: 'T001' });
  const folder = join(open.root, '.cleo', 'runs', run.id);
  const record = JSON.parse(readFileSync(join(folder, 'run.json'), 'utf8'));
  for (const id of [run.id, 'run-copy']) {
    const forged = { ...record, run_id: id, task_id: 'T002', trace: '' };
    mkdirSync(join(open.root, '.cleo', 'runs', id), { recursive: true });
    writeFileSync(join(open.root, '.cleo', 'runs', id, 'run.json'), JSON.stringify(forged));
    for (const gate of ['implemented', 'testsPassed'])
      expect(await open.call('verify.gate', { taskId: 'T002', gate, evidence: `run:${id}` })).toMatchObject({
        error: { exitCode: 41, message: expect.stringContaining(`the audit log contains no successful run ${id} for T002`) },
      });
  }
});

test('a test report that a run for the task wrote opens testsPassed until it changes', async () => {
  const open = await shop('', ['T001', 'gate T001 implemented by ada', 'T002', 'gate T002 implemented by ada']);
  open.writeSkill('planner', `echo '{"passed":4,"failed":0}' > plan.md`);
  await open.runConstruct({ task: 'T001' });
  const verify = (taskId: string) => open.call('verify.gate', { taskId, gate: 'testsPassed', evidence: 'test-run:plan.md' });
  expect(await verify('T001')).toMatchObject({ verification: { evidence: [{ kind: 'test-run', passed: 4, path: 'plan.md' }] } });
  expect((await verify('T002')).error.message).toContain('no run for T002 wrote plan.md');
  open.writeFile('plan.md', '{"passed":5,"failed":0}');
  expect((await verify('T001')).error.message).toContain('no run for T001 wrote plan.md');
});

test('a run completes the lifecycle stage of the epic of its task', async () => {
  const open = await shop('lifecycle_stage: research');
  const { run, data } = await open.runConstruct({ task: 'T002' });
  expect(run.task.stage).toEqual({ epicId: 'T001', stage: 'research' });
  expect(data.updated).toEqual(expect.arrayContaining(['T002', 'T001']));
  expect((await stages(open))[0]).toBe('research completed');
  expect((await open.call('lifecycle.status', { epicId: 'T001' })).lifecycle.stages[0].reason).toBe(run.id);
  // Once more is no harm.
  expect((await open.runConstruct({ task: 'T002' })).run.task.stage).toEqual({ epicId: 'T001', stage: 'research' });
});

test('does not complete the stage after a partial, failed or taskless run', async () => {
  const open = await shop('lifecycle_stage: research');
  for (const part of [{ phase: 'look' }, { skill: 'reader' }, { skill: 'planner' }])
    expect((await open.runConstruct({ task: 'T002', ...part })).run.task.stage).toBeUndefined();
  expect((await open.runConstruct({}))._meta.warnings).toEqual([
    'stage research was not completed: the run has no task; name it with task',
  ]);
  open.writeFile('stop', '');
  await open.runConstruct({ task: 'T002' });
  expect((await stages(open))[0]).toBe('research pending');
  rmSync(join(open.root, 'stop'));
  expect((await open.runConstruct({ task: 'T002', from: 'plan' })).run.task.stage).toBeDefined();
});

test('refuses to run if the stage could not be completed', async () => {
  const open = await shop('lifecycle_stage: specification', ['T001 epic', 'T002 in T001', 'T003', 'T004 epic', 'T005 in T004']);
  const refusals = async (task: string): Promise<string> => {
    const { error } = await open.runConstruct({ task });
    return `${error.exitCode} ${error.details.cleoCode ?? error.code}`;
  };
  expect(await refusals('T002')).toBe('80 E_LIFECYCLE_GATE_FAILED');
  expect(await refusals('T003')).toBe('80 E_SKILL_BLOCKED');
  expect(await refusals('T999')).toBe('66 E_NOT_FOUND');
  await open.call('lifecycle.skip', { epicId: 'T001', stage: 'research', through: 'specification', reason: 'agreed on' });
  expect(await refusals('T002')).toBe('80 E_LIFECYCLE_TRANSITION_INVALID');
  await open.call('session.start', { scope: 'epic:T004', autoFocus: true });
  expect(await refusals('T002')).toBe('77 E_TASK_NOT_IN_SCOPE');
  expect(() => open.readEvents()).toThrow();
});

test('refuses to resume if the stage could not be completed', async () => {
  const open = await shop('', ['T001 epic', 'T002 in T001', 'T003 epic']);
  open.writeFile('stop', '');
  const { id } = (await open.runConstruct({ task: 'T002' })).error.details.run;
  rmSync(join(open.root, 'stop'));
  await open.call('session.start', { scope: 'epic:T003', autoFocus: true });
  expect((await open.runConstruct({ resume: id })).error).toMatchObject({ exitCode: 77, details: { cleoCode: 'E_TASK_NOT_IN_SCOPE' } });
  await open.call('session.end', {});
  expect((await open.runConstruct({ resume: id })).run.task).toMatchObject({ id: 'T002', evidence: `run:${id}` });
});

test('warns if the task is gone when the run ends', async () => {
  const open = await shop();
  open.writeSkill('planner', 'while [ ! -e go ]; do sleep 0.05; done; echo planned > plan.md');
  const running = open.runConstruct({ task: 'T003' });
  await new Promise((resolve) => setTimeout(resolve, 300));
  await open.call('tasks.delete', { taskId: 'T003' });
  open.writeFile('go', '');
  const { success, run, _meta } = await running;
  expect([success, run.status, run.task]).toEqual([true, 'success', undefined]);
  expect(_meta.warnings.join()).toContain(`${run.id} was not linked to T003`);
});

test('validate reports an unknown stage and a stage that a run cannot complete', async () => {
  const open = await shop('lifecycle_stage: reserch');
  expect((await open.call('construct.validate', {})).error.message).toContain('must be one of research');
  open.writeConstruct(manifest('lifecycle_stage: release'));
  expect((await open.call('construct.validate', {})).error.message).toContain('provenance');
});
