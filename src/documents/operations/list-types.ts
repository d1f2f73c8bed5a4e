import { array, number, picklist, strictObject, string } from 'valibot';
import { query } from '#core/define.ts';
import { listDocKinds } from '../rules/doc-kinds.ts';

export const docsListTypes = query({
  name: 'docs.list-types',
  summary: 'List document kinds with the number of documents',
  params: strictObject({}),
  result: strictObject({
    types: array(strictObject({ name: string(), about: string(), source: picklist(['built-in', 'config', 'store']), docs: number() })),
  }),
  errors: [],
  tier: 2,
  cli: { command: 'docs list-types' },
  example: { world: ['T001', 'doc parsers T001: Which parsers there are'], call: {} },
  async run({ store, config }) {
    const counts = await store.docs.countByKind();
    const kinds = listDocKinds(config['docs.types']);
    const removedKinds = [...counts.keys()].filter((name) => !kinds.some((kind) => kind.name === name));
    return {
      types: [
        ...kinds.map((kind) => ({ ...kind, docs: counts.get(kind.name) ?? 0 })),
        ...removedKinds.map((name) => ({ name, about: 'No longer in docs.types', source: 'store' as const, docs: counts.get(name)! })),
      ],
    };
  },
});
