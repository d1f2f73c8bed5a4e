import { nearest } from '#lib/nearest.ts';
import type { ArtifactSpec, Construct } from '../../model/construct.ts';
import type { Reader } from './spot.ts';

/** The sections of each schema of documents; undefined where a schema is one of data. */
export type KnownSchemas = ReadonlyMap<string, string[] | undefined>;

const isMeasured = ({ min_completeness, required_sections }: ArtifactSpec): boolean =>
  min_completeness !== null || required_sections !== null;

/** A document has one schema, whoever speaks of it: who asks how complete it is need not name it again. */
export function withSchemas(construct: Construct): Construct {
  const { phases, handoffs } = construct;
  const named = [...phases.flatMap(({ inputs, outputs }) => [...inputs, ...outputs]), ...handoffs.flatMap(({ required }) => required)];
  const schemas = new Map(named.flatMap(({ path, schema }) => (schema === null ? [] : [[path, schema] as const])));
  const whole = (specs: ArtifactSpec[]): ArtifactSpec[] =>
    specs.map((spec) => (spec.schema === null && isMeasured(spec) ? { ...spec, schema: schemas.get(spec.path) ?? null } : spec));
  return {
    ...construct,
    phases: phases.map((phase) => ({ ...phase, inputs: whole(phase.inputs), outputs: whole(phase.outputs) })),
    handoffs: handoffs.map((handoff) => ({ ...handoff, required: whole(handoff.required), optional: whole(handoff.optional) })),
  };
}

/** What is asked of a section that does not exist could never be met. */
export function checkAsked(reader: Reader, { phases, handoffs }: Construct, known: KnownSchemas): void {
  const artifacts = [
    ...phases.flatMap(({ name, inputs, outputs }) => [...inputs, ...outputs].map((spec) => ({ spec, where: name }))),
    ...handoffs.flatMap(({ from, to, required, optional }) =>
      [...required, ...optional].map((spec) => ({ spec, where: `${from}_to_${to}` })),
    ),
  ];
  const told = new Set<string>();
  const tell = (severity: 'error' | 'warning', where: string, problem: string, fix?: string): void => {
    if (told.has(problem)) return;
    told.add(problem);
    reader[severity]({ ...reader.top, where }, problem, fix);
  };
  for (const { spec, where } of artifacts) {
    const { path, schema, required_sections: wanted } = spec;
    if (!isMeasured(spec) || (schema !== null && !known.has(schema))) continue;
    const sections = schema === null ? undefined : known.get(schema);
    if (schema === null) tell('warning', where, `${path} has no schema: how complete it is cannot be told`, 'name one: schema: prd-v1');
    else if (!sections) tell('error', where, `${schema} is a schema of data: ${path} is whole or it is not`, 'leave out min_completeness');
    else
      for (const name of wanted === null || wanted === true ? [] : wanted.filter((one) => !sections.includes(one))) {
        const [meant] = nearest(name, sections, 1);
        tell('error', where, `${schema} has no section ${JSON.stringify(name)}`, `did you mean ${meant ?? sections[0]}?`);
      }
  }
}
