import { description, maxLength, minLength, number, optional, picklist, pipe, strictObject, string } from 'valibot';
import { mutation } from '../define.ts';
import { importTasks } from './import-native.ts';
import { checkPlaceInScope } from './scope.ts';

export const tasksImport = mutation({
  name: 'tasks.import',
  summary: 'Bring in tasks from an export, all or none',
  params: strictObject({
    content: pipe(
      string(),
      minLength(1, 'must not be empty'),
      maxLength(256 * 1024 * 1024, 'must have at most 256 MiB'),
      description('What export wrote: JSONL or JSON'),
    ),
    from: optional(pipe(picklist(['native']), description('The tool that wrote it'))),
  }),
  result: strictObject({ imported: number() }),
  errors: [
    'E_ID_COLLISION',
    'E_PARENT_NOT_FOUND',
    'E_NOT_FOUND',
    'E_INVALID_PARENT_TYPE',
    'E_DEPTH_EXCEEDED',
    'E_CIRCULAR_REFERENCE',
    'E_TASK_NOT_IN_SCOPE',
  ],
  tier: 1,
  cli: { command: 'import', args: ['content'], read: { content: { as: 'text' } } },
  dryRun: true,
  example: {
    call: {
      content:
        '{"id":"T001","type":"task","title":"Write the parser","status":"pending","priority":"medium","createdAt":"2026-01-01T00:00:00.000Z","createdBy":"main","updatedAt":"2026-01-01T00:00:00.000Z","revision":1}\n',
    },
  },
  async run(here, { content }) {
    checkPlaceInScope(here.session, []);
    return { imported: await importTasks(here, content) };
  },
});
