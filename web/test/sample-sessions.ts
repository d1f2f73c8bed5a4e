import { requireSuccess } from './sample-plan.ts';
import type { Answer, ServedProject } from './served-project.ts';

/** The ids of the sessions that `addSampleSessions` creates. */
export interface SampleSessions {
  /** Active, recorded in grade mode, with an error and a context report, and graded. */
  grace: string;
  /** Ended with a handoff. */
  linus: string;
  /** Active, and of the agent that the page acts as. */
  ada: string;
}

/** Adds sessions in several states to the sample plan. */
export async function addSampleSessions(project: ServedProject): Promise<SampleSessions> {
  const call = async (agent: string, path: string, params: object = {}): Promise<Answer> => {
    const response = await fetch(`${project.url}/api/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'cleo-agent': agent },
      body: JSON.stringify(params),
    });
    return response.json();
  };
  const run = async (agent: string, path: string, params: object = {}) => requireSuccess(await call(agent, path, params));
  const start = async (agent: string, params: object): Promise<string> => (await run(agent, 'mutate/session/start', params)).session.id;

  const linus = await start('linus', { scope: 'task:T011', name: 'Survey of shells', focus: 'T011' });
  await run('linus', 'mutate/tasks/update', { taskId: 'T011', notes: 'Decision: ask for **bash** and zsh' });
  await run('linus', 'mutate/session/end', { note: 'Two answers are missing. Ask *again* on Monday.' });

  const grace = await start('grace', { scope: 'epic:T002', name: 'Command line', grade: true });
  await run('grace', 'query/tasks/find', { query: 'help' });
  await call('grace', 'mutate/tasks/start', { taskId: 'T099' });
  await run('grace', 'mutate/tasks/start', { taskId: 'T008' });
  await run('grace', 'mutate/tasks/complete', { taskId: 'T008' });
  await run('grace', 'mutate/tasks/add', { title: 'Complete words in fish', parent: 'T002' });
  await run('grace', 'mutate/system/context.report', { used: 172_000, max: 200_000 });
  await run('grace', 'query/admin/grade', { sessionId: grace });

  const ada = await start('ada', { scope: 'epic:T001', name: 'Grammar', focus: 'T013' });
  await run('ada', 'mutate/system/context.report', { used: 40_000, max: 200_000 });
  return { grace, linus, ada };
}
