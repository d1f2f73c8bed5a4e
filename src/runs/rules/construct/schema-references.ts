import { findNearest } from '#lib/nearest.ts';
import type { ArtifactSpec, Construct } from '../../model/construct.ts';
import type { YamlReader } from './yaml-reader.ts';

/** Known schemas by id: the sections of a document schema, undefined for a data schema. */
export type KnownSchemas = ReadonlyMap<string, string[] | undefined>;

const needsSchema = ({ min_completeness, required_sections }: ArtifactSpec): boolean =>
  min_completeness !== null || required_sections !== null;

/** Fills in the schema of artifacts that have requirements but name no schema: a path has one schema in the whole construct. */
export function fillInSchemas(construct: Construct): Construct {
  const { phases, handoffs } = construct;
  const declared = [...phases.flatMap(({ inputs, outputs }) => [...inputs, ...outputs]), ...handoffs.flatMap(({ required }) => required)];
  const schemas = new Map(declared.flatMap(({ path, schema }) => (schema === null ? [] : [[path, schema] as const])));
  const fillIn = (specs: ArtifactSpec[]): ArtifactSpec[] =>
    specs.map((spec) => (spec.schema === null && needsSchema(spec) ? { ...spec, schema: schemas.get(spec.path) ?? null } : spec));
  return {
    ...construct,
    phases: phases.map((phase) => ({ ...phase, inputs: fillIn(phase.inputs), outputs: fillIn(phase.outputs) })),
    handoffs: handoffs.map((handoff) => ({ ...handoff, required: fillIn(handoff.required), optional: fillIn(handoff.optional) })),
  };
}

/** Reports requirements that can never be met: sections that do not exist, and a completeness without a document schema. */
export function checkSchemaReferences(reader: YamlReader, { phases, handoffs }: Construct, known: KnownSchemas): void {
  const artifacts = [
    ...phases.flatMap(({ name, inputs, outputs }) => [...inputs, ...outputs].map((spec) => ({ spec, where: name }))),
    ...handoffs.flatMap(({ from, to, required, optional }) =>
      [...required, ...optional].map((spec) => ({ spec, where: `${from}_to_${to}` })),
    ),
  ];
  const reported = new Set<string>();
  const report = (add: 'addError' | 'addWarning', where: string, problem: string, fix?: string): void => {
    if (reported.has(problem)) return;
    reported.add(problem);
    reader[add]({ ...reader.top, where }, problem, fix);
  };
  for (const { spec, where } of artifacts) {
    const { path, schema, required_sections: requiredSections } = spec;
    if (!needsSchema(spec) || (schema !== null && !known.has(schema))) continue;
    const sections = schema === null ? undefined : known.get(schema);
    if (schema === null)
      report('addWarning', where, `${path} has no schema, so its completeness cannot be measured`, 'set one: schema: prd-v1');
    else if (!sections) report('addError', where, `${schema} is a data schema: ${path} has no completeness`, 'remove min_completeness');
    else
      for (const name of Array.isArray(requiredSections) ? requiredSections.filter((one) => !sections.includes(one)) : []) {
        const [suggestion] = findNearest(name, sections, 1);
        report('addError', where, `${schema} has no section ${JSON.stringify(name)}`, `did you mean ${suggestion ?? sections[0]}?`);
      }
  }
}
