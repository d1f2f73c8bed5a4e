import type { Answer, ServedProject } from './served-project.ts';

/** Fills a project with a small plan in all states, as pictures and tests use it. Ids are given in this order from T001. */
export async function addSamplePlan(project: ServedProject): Promise<void> {
  const titles = [
    {
      title: 'Parser for the new grammar',
      type: 'epic',
      description: 'Reads **version 2** of the grammar.\n\n- errors have positions\n- recovers at `;`',
    },
    { title: 'Command line', type: 'epic' },
    { title: 'Write the lexer', parent: 'T001', priority: 'high', labels: ['core'] },
    {
      title: 'Parse expressions with precedence climbing',
      parent: 'T001',
      priority: 'critical',
      depends: ['T003'],
      labels: ['core', 'grammar'],
    },
    { title: 'Report errors with line and column', parent: 'T001', depends: ['T003'], acceptance: ['shows the line', 'marks the column'] },
    { title: 'Recover after an error', parent: 'T001', priority: 'low', depends: ['T005'] },
    { title: 'Read arguments', parent: 'T002', assignee: 'grace' },
    { title: 'Print help', parent: 'T002', due: '2026-12-01', labels: ['docs'] },
    { title: 'Choose the exit codes', parent: 'T002' },
    { title: 'Colour the output', parent: 'T002', priority: 'low' },
    { title: 'Ask the users which shells they use' },
    { title: 'Tokens for strings', parent: 'T003' },
    { title: 'Tokens for numbers', parent: 'T003' },
  ];
  for (const task of titles) requireSuccess(await project.post('mutate/tasks/add', task));
  const asAgent = (agent: string, path: string, params: object): Promise<Answer> =>
    fetch(`${project.url}/api/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'cleo-agent': agent },
      body: JSON.stringify(params),
    }).then(async (response) => requireSuccess(await response.json()));
  await asAgent('ada', 'mutate/tasks/start', { taskId: 'T012' });
  await asAgent('ada', 'mutate/tasks/complete', { taskId: 'T012' });
  await asAgent('ada', 'mutate/tasks/start', { taskId: 'T003' });
  await asAgent('grace', 'mutate/tasks/start', { taskId: 'T007' });
  await asAgent('linus', 'mutate/tasks/start', { taskId: 'T009' });
  await asAgent('linus', 'mutate/tasks/complete', { taskId: 'T009' });
  await asAgent('linus', 'mutate/tasks/update', { taskId: 'T010', blockedBy: 'The team has to choose the colours' });
  await asAgent('ada', 'mutate/tasks/update', { taskId: 'T003', notes: 'The `Token` type is a struct, see T005.' });
  await asAgent('ada', 'mutate/memory/store', {
    type: 'decision',
    title: 'Tokens are structs',
    content: 'Tokens are structs, not classes',
    task: 'T003',
  });
}

export function requireSuccess(answer: Answer): Answer {
  if (!answer.success) throw new Error(JSON.stringify(answer.error));
  return answer;
}

/** The setting that allows epics of a hundred tasks. */
export const manyTasksConfig = { hierarchy: { maxSiblings: 1000 } };

/** Fills a project with many tasks in epics of a hundred. */
export async function addManyTasks(project: ServedProject, count: number): Promise<void> {
  const verbs = ['Write', 'Test', 'Review', 'Measure', 'Document'];
  const priorities = ['medium', 'high', 'low', 'medium', 'critical'];
  const perEpic = 100;
  for (let epic = 0; epic * perEpic < count; epic++) {
    const steps = Array.from({ length: perEpic - 1 }, (_, i) => ({
      title: `${verbs[i % 5]} module ${i + 1} of part ${epic + 1}`,
      parent: 'epic',
      priority: priorities[(i + epic) % 5],
      labels: [`area-${i % 7}`],
    }));
    const tasks = [{ ref: 'epic', title: `Part ${epic + 1} of the work`, type: 'epic' }, ...steps];
    requireSuccess(await project.post('mutate/tasks/add-batch', { tasks }));
  }
}

/** Fills an empty project with 25 waves of 40 tasks; each depends on three or four tasks of the two waves before. */
export async function addManyDependencies(project: ServedProject): Promise<void> {
  const perWave = 40;
  const toId = (number: number): string => `T${String(number).padStart(3, '0')}`;
  for (let wave = 0; wave < 25; wave++) {
    const tasks = Array.from({ length: perWave }, (_, i) => {
      const first = Math.max(0, wave - 2) * perWave;
      const before = wave * perWave - first;
      // Steps that are prime to the number of tasks before give different tasks.
      const depends =
        wave === 0
          ? []
          : [...new Set([i, i * 7 + wave, i * 11 + 3, ...(i % 6 === 0 ? [i + 17] : [])].map((n) => toId(first + (n % before) + 1)))];
      return { title: `Step ${i + 1} of stage ${wave + 1}`, ...(depends.length > 0 ? { depends } : {}) };
    });
    requireSuccess(await project.post('mutate/tasks/add-batch', { tasks }));
  }
}
