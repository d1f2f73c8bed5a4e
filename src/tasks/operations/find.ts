import { array, custom, description, metadata, optional, pipe, strictObject, transform } from 'valibot';
import { query } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { SearchText } from '#core/model/scalars.ts';
import { paged, pageParams } from '#core/page.ts';
import type { Found } from '#core/search.ts';
import type { Page, ReadStore, TaskFilter } from '#store/port.ts';
import { TaskHit } from '../model/task.ts';
import { hitOf } from '../rules/view.ts';
import { filterOf, filterParams } from './shared/filter.ts';
import { searchTasks } from './shared/search.ts';

const idBeginning = /^\s*(?:SG-|E-|T-)?T?(\d{1,15})\s*$/i;

const IdBeginning = pipe(
  custom<string | number>(
    (value) => (typeof value === 'string' || typeof value === 'number') && idBeginning.test(String(value)),
    'Expected an id or its beginning, such as 14 or T014',
  ),
  transform((value) => idBeginning.exec(String(value))![1]!),
  metadata({ jsonSchema: { type: ['string', 'integer'] }, value: 'N' }),
);

export const tasksFind = query({
  name: 'tasks.find',
  summary: 'Find tasks by words, by the beginning of their id, or by filters; best match first',
  params: strictObject({
    query: optional(pipe(SearchText, description('Words in title, description, labels or notes; beginnings and typos are found too'))),
    id: optional(pipe(IdBeginning, description('Ids that begin with these digits'))),
    ...filterParams,
    ...pageParams(20),
  }),
  result: strictObject({ tasks: array(TaskHit) }),
  errors: ['E_INVALID_INPUT', 'E_NOT_FOUND'],
  tier: 0,
  cli: { command: 'find', args: ['query'] },
  example: { world: ['T001: Write the parser', 'T002: Test the lexer'], call: { query: 'parser' } },
  async run({ store }, { query, id, limit, offset, budget, ...given }) {
    const page = { limit, offset, budget };
    const text = query?.trim() || undefined;
    if (text && id)
      throw new CleoError('E_INVALID_INPUT', { problem: 'find takes a query or --id, not both', fix: `cleo find --id ${id}`, field: 'id' });
    if (!text && !id && Object.values(given).every((value) => value === undefined || value === false))
      throw new CleoError('E_INVALID_INPUT', { problem: 'find needs a query, --id or a filter', fix: 'cleo help find', field: 'query' });
    const filter = await filterOf(store, given);
    const { hits, count } = await (text
      ? searchTasks(store, text, filter, page)
      : id
        ? byId(store, id, filter, page)
        : byFilter(store, filter, page));
    return paged({ tasks: hits }, hits.length, page, count);
  },
});

const byId = async (store: ReadStore, digits: string, filter: TaskFilter, page: Page): Promise<Found<TaskHit>> => ({
  hits: await store.tasks.byIdPrefix(digits, filter, page),
  count: (atMost) => store.tasks.countByIdPrefix(digits, filter, atMost),
});

const byFilter = async (store: ReadStore, filter: TaskFilter, page: Page): Promise<Found<TaskHit>> => ({
  hits: (await store.tasks.list(filter, 'id', page)).map(hitOf),
  count: (atMost) => store.tasks.count(filter, atMost),
});
