import { expect, test } from 'vitest';
import { renderWith } from '../../test/render.ts';
import { nexusView } from './view.ts';

const render = renderWith(nexusView);

const api = { project: 'api', id: 'T001', title: 'Serve tasks', status: 'blocked' };
const web = { project: 'web', id: 'T002', title: 'Write the parser', status: 'pending' };

test('draws projects in rows and marks the current one', async () => {
  const projects = [
    { name: 'api', path: '/home/ada/api', permission: 'read', state: 'ok', here: true },
    { name: 'web', path: '/home/ada/web', permission: 'none', state: 'closed' },
  ];
  expect(await render({ projects })).toBe(`NAME        PERMISSION  STATE   PATH
api (here)  read        ok      /home/ada/api
web         none        closed  /home/ada/web
`);
  expect(await render({ projects: [{ name: 'api' }, { name: 'web' }] })).toContain('web');
});

test('draws tasks of other projects with their full ids', async () => {
  const hit = { type: 'task', priority: 'medium' };
  expect(
    await render({
      tasks: [
        { ...api, ...hit },
        { ...web, ...hit },
      ],
    }),
  ).toBe(`ID        STATUS     PRIORITY  TITLE
api:T001  ⊘ blocked  medium    Serve tasks
web:T002  ○ pending  medium    Write the parser
`);
  expect(await render({ tasks: [{ ...web, ...hit, depends: ['T001'], revision: 1 }] })).toContain('○ web:T002  Write the parser\n');
});

test('draws a task with its dependencies in both directions', async () => {
  const gone = { project: 'old', id: 'T009', note: 'the project is not registered' };
  expect(
    await render({ deps: { task: api, waitsFor: [web, gone], waitedForBy: [], unanswered: [{ project: 'docs', problem: 'is torn' }] } }),
  ).toBe(`⊘ api:T001  Serve tasks

waits for
  ○ web:T002  Write the parser
  old:T009  note the project is not registered

gave no answer
  docs: is torn
`);
  expect(await render({ deps: { task: api, waitsFor: [], waitedForBy: [] } })).toContain('No task of another project');
});

test('draws waiting tasks with their dependencies and cuts a large graph', async () => {
  const edges = [{ from: 'api:T001', to: 'web:T002', kind: 'across' }];
  expect(await render({ graph: { nodes: [api, web], edges } })).toBe('⊘ api:T001  Serve tasks\n  ← ○ web:T002  Write the parser\n');
  const many = Array.from({ length: 100 }, (_, i) => ({ from: 'api:T001', to: `web:T${i + 100}`, kind: 'across' }));
  expect(await render({ graph: { nodes: [api], edges: many } })).toContain('and 41 lines more');
});

test('removes control characters from text of other projects', async () => {
  const hostile = { ...web, title: 'a\u001b[2Jb\u202e\nc' };
  for (const result of [{ deps: { task: api, waitsFor: [hostile], waitedForBy: [] } }, { tasks: [hostile, api] }, { on: hostile }])
    expect(await render(result)).not.toMatch(/\u001b|\u202e/);
});
