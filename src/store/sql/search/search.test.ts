import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toTaskId } from '#core/model/scalars.ts';
import { toTerms } from '#lib/terms.ts';
import { openApp } from '../../../../test/app.ts';
import { createTaskRecord } from '../../../../test/task-record.ts';

test('finds exactly the tasks whose title has the word or a word with that prefix, in any script', async () => {
  const { store } = await openApp();
  let last = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }), { minLength: 20, maxLength: 20 }),
      async (titles) => {
        const tasks = titles.map((title) => createTaskRecord(toTaskId(++last), { title }));
        const where = { titleOnly: false };
        await store
          .write({ at: '2026-01-01T00:00:00.000Z', by: 'world' }, async (writes) => {
            await writes.tasks.insertMany(tasks.map((task) => ({ task, notes: [] })));
            for (const word of new Set(titles.flatMap(toTerms))) {
              const found = async (prefix: boolean) =>
                (await writes.search.findCandidates([[word]], { ...where, prefix }, {}, 200)).map((t) => t.id).sort();
              const expected = (matches: (term: string) => boolean) =>
                tasks
                  .filter((task) => toTerms(task.title).some(matches))
                  .map((t) => t.id)
                  .sort();
              expect(await found(false)).toEqual(expected((term) => term === word));
              expect(await found(true)).toEqual(expected((term) => term.startsWith(word)));
            }
            throw new Error('rolled back');
          })
          .catch((error) => {
            if (error.message !== 'rolled back') throw error;
          });
      },
    ),
    { numRuns: 30 },
  );
});
