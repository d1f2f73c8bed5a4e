import { expect, test } from 'vitest';
import { renderWith } from '../../test/render.ts';
import { taskView } from './view.ts';

const render = renderWith(taskView);

test('draws the branches of a tree', async () => {
  const leaf = (id: string) => ({ id, title: `Task ${id}`, status: 'pending', type: 'task' });
  const tree = [
    { ...leaf('T001'), type: 'epic', children: [{ ...leaf('T002'), children: [leaf('T003'), leaf('T004')] }, leaf('T005')] },
    leaf('T006'),
  ];
  expect(await render({ tree })).toBe(
    [
      '○ E-T001  Task T001',
      '├─ ○ T002  Task T002',
      '│  ├─ ○ T003  Task T003',
      '│  └─ ○ T004  Task T004',
      '└─ ○ T005  Task T005',
      '○ T006  Task T006',
      '',
    ].join('\n'),
  );
});
