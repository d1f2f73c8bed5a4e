import { readFileSync } from 'node:fs';
import { expect, expectTypeOf, test } from 'vitest';
import { registry } from '../src/core/index.generated.ts';
import type { Envelope, MutationName, Operations, Params, QueryName, Result } from '../web/src/api/operations.generated.ts';

test('the client of the web page has every operation', () => {
  const text = readFileSync(new URL('../web/src/api/operations.generated.ts', import.meta.url), 'utf8');
  const found = [...text.matchAll(/^ {2}'([\w.-]+)': \{\n {4}kind: '(\w+)';/gm)].map(([, name, kind]) => `${name} ${kind}`);
  expect(found).toEqual(registry.entries.map(({ name, kind }) => `${name} ${kind === 'query' ? 'query' : 'mutate'}`).sort());
  // A keyword of JSON Schema that the script does not know would become `unknown`.
  expect(text.match(/\bunknown\b/g)!.length).toBeLessThan(60);
});

test('the types follow the definitions', () => {
  expectTypeOf<Params<'tasks.show'>>().toEqualTypeOf<{ taskId?: string | undefined; taskIds?: string[] | undefined }>();
  expectTypeOf<Operations['tasks.add']['kind']>().toEqualTypeOf<'mutate'>();
  expectTypeOf<NonNullable<Result<'tasks.show'>['task']>['status']>().toEqualTypeOf<'pending' | 'active' | 'blocked' | 'done'>();
  expectTypeOf<'tasks.show'>().toExtend<QueryName>();
  expectTypeOf<'tasks.add'>().toExtend<MutationName>();
  expectTypeOf<'tasks.add'>().not.toExtend<QueryName>();
  expectTypeOf<Extract<Envelope<'tasks.add'>, { success: true }>['data']['created']>().toEqualTypeOf<string[] | undefined>();
});
