import { array, number, picklist, strictObject, string } from 'valibot';
import { query } from '#core/define.ts';
import { docKinds } from '../rules/doc-kinds.ts';

export const docsListTypes = query({
  name: 'docs.list-types',
  summary: 'List the kinds that a document may have, and how many there are of each',
  params: strictObject({}),
  result: strictObject({
    types: array(strictObject({ name: string(), about: string(), source: picklist(['built-in', 'config', 'store']), docs: number() })),
  }),
  errors: [],
  tier: 2,
  cli: { command: 'docs list-types' },
  example: { world: ['T001', 'doc parsers T001: Which parsers there are'], call: {} },
  async run({ store, config }) {
    const counts = await store.docs.countsByKind();
    const known = docKinds(config['docs.types']);
    const former = [...counts.keys()].filter((name) => !known.some((kind) => kind.name === name));
    return {
      types: [
        ...known.map((kind) => ({ ...kind, docs: counts.get(kind.name) ?? 0 })),
        ...former.map((name) => ({ name, about: 'No longer in docs.types', source: 'store' as const, docs: counts.get(name)! })),
      ],
    };
  },
});
