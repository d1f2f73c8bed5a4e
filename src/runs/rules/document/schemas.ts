import type { DocSchema, SectionSpec } from '../../model/doc-schema.ts';

type Row = [id: string, weight: number, minWords: number, titles: string[]];

/* @__NO_SIDE_EFFECTS__ */
const createSchema = (id: string, rows: Row[]): DocSchema => ({
  id,
  version: '1.0.0',
  sections: rows.map(([name, weight, minWords, titles]): SectionSpec => ({ id: name, titles, required: true, weight, minWords })),
});

/** Built-in document schemas. A project's own schema with the same id replaces one. */
export const builtInSchemas: DocSchema[] = [
  createSchema('prd-v1', [
    ['problem', 2, 30, ['problem', 'problem statement', 'background', 'motivation', 'why']],
    ['goals', 2, 30, ['goals', 'goal', 'objectives', 'success criteria', 'success metrics']],
    ['users', 1, 20, ['users', 'user', 'personas', 'audience', 'stakeholders', 'customers']],
    ['functional_requirements', 3, 60, ['functional requirements', 'requirements', 'features', 'user stories', 'use cases']],
    [
      'non_functional_requirements',
      1,
      20,
      ['non functional requirements', 'nonfunctional requirements', 'quality attributes', 'constraints', 'technical requirements'],
    ],
    ['scope', 1, 20, ['scope', 'in scope', 'scope and boundaries', 'non goals']],
    ['risks', 1, 20, ['risks', 'risk', 'assumptions', 'dependencies', 'open questions']],
  ]),
  createSchema('sdd-v1', [
    ['architecture', 3, 60, ['architecture', 'system design', 'high level design', 'system overview']],
    ['data_model', 2, 30, ['data model', 'data models', 'data design', 'database', 'schema', 'entities', 'storage']],
    ['api_contracts', 2, 30, ['api contracts', 'api contract', 'api', 'apis', 'interfaces', 'endpoints']],
    ['components', 2, 40, ['components', 'component design', 'modules', 'services']],
    ['security', 1, 20, ['security', 'security considerations', 'threat model', 'privacy']],
    ['testing', 1, 20, ['testing', 'tests', 'test strategy', 'test plan', 'verification', 'quality assurance']],
  ]),
  createSchema('sprint-v1', [
    ['goal', 2, 20, ['goal', 'goals', 'sprint goal', 'objective', 'objectives']],
    ['tasks', 3, 40, ['tasks', 'task breakdown', 'backlog', 'stories', 'work items', 'deliverables']],
    ['acceptance_criteria', 2, 30, ['acceptance criteria', 'acceptance', 'definition of done', 'done when']],
    ['risks', 1, 20, ['risks', 'risk', 'dependencies', 'blockers', 'assumptions']],
  ]),
  createSchema('research-note', [
    ['question', 1, 10, ['question', 'questions', 'topic', 'purpose', 'goal']],
    ['findings', 3, 60, ['findings', 'results', 'summary', 'analysis', 'observations']],
    ['sources', 1, 5, ['sources', 'references', 'citations', 'links', 'evidence']],
    ['recommendations', 1, 20, ['recommendations', 'recommendation', 'conclusion', 'conclusions', 'next steps', 'implications']],
  ]),
];
