import { description, maxLength, metadata, optional, pipe, string } from 'valibot';
import { commandLine } from '#core/errors/quote.ts';
import { placeIn } from '#core/place.ts';
import type { Ground } from '#platform/ground-port.ts';
import type { Platform, Project } from '#platform/port.ts';
import { showCommand } from '../../errors/run-commands.ts';
import { skillRefusal } from '../../errors/skill.ts';
import type { Construct, Finding } from '../../model/construct.ts';
import { manifestNames } from '../../rules/construct/names.ts';
import { largestManifest, type Reading, readConstruct } from '../../rules/construct/read.ts';
import { textOf } from '../../runner/found.ts';
import { type AllSchemas, schemasOf } from '../../runner/schemas.ts';

export const ConstructFile = optional(
  pipe(
    string(),
    maxLength(4096, 'must have at most 4096 characters'),
    description('The manifest (default: construct.yaml, then .cleo/construct.yaml)'),
    metadata({ value: 'FILE' }),
  ),
);

export interface Manifest extends Reading {
  file: string;
  ground: Ground;
  schemas: AllSchemas;
}

/** The manifest that is meant, with everything that is wrong with it; where nobody says which, the one that it was before. */
export async function manifestOf(
  { platform, project }: { platform: Platform; project: Project },
  asked: string | undefined,
  before?: string,
): Promise<Manifest> {
  const ground = await platform.ground(project);
  const isThere = (path: string): boolean => ground.at(path) !== undefined;
  // As it is written where the caller stands, else as the project knows it, which is how it is printed.
  const ctx = asked === undefined ? placeIn(platform, project, manifestNames[0]) : insideOf(platform, project, asked);
  const places = asked === undefined && before !== undefined ? [before] : [ctx ?? [], asked ?? manifestNames].flat();
  const file = places.find(isThere) ?? asked;
  if (file === undefined) throw skillRefusal(78, `there is no ${before ?? manifestNames.join(' and no ')}`, 'cleo help construct run');
  const seen = ground.at(file);
  if (seen?.kind !== 'file')
    throw skillRefusal(78, `${file} is ${seen ? 'no regular file inside the project' : 'not there'}`, 'cleo construct validate', { file });
  const schemas = await schemasOf(ground.schemaFiles());
  const bytes = seen.size > largestManifest ? undefined : ground.read(file);
  const text = bytes && textOf(bytes);
  if (text === undefined) {
    const problem = bytes ? 'is no UTF-8 text' : 'is larger than 1 MiB';
    return { kind: 'other', findings: [{ severity: 'error', where: '', problem }], file, ground, schemas };
  }
  const known = new Map(schemas.ids().map((id) => [id, schemas.document(id)?.sections.map((section) => section.id)]));
  return { ...readConstruct(file, text, { digest: ground.hash(bytes!), schemas: known }), file, ground, schemas };
}

function insideOf(platform: Platform, project: Project, asked: string): string {
  const place = placeIn(platform, project, asked);
  if (place === undefined) throw skillRefusal(78, `${asked} lies outside the project`, 'cleo construct validate');
  return place;
}

/** One that can be run, or the refusal that says why it cannot. */
export function runnable({ construct, findings, kind, file }: Manifest, isSkillNamed = false): Construct {
  const errors = findings.filter(({ severity }) => severity === 'error');
  if (!construct)
    throw skillRefusal(78, `${file}: ${lineOf(errors[0]!)}`, commandLine(['cleo', 'construct', 'validate', file]), {
      file,
      findings: errors,
    });
  if (kind === 'pack' && !isSkillNamed) throw skillRefusal(78, `${file} is a pack: it has no phases`, showCommand(file), { file });
  return construct;
}

export const lineOf = ({ where, line, column, problem, fix }: Finding): string =>
  [line === undefined ? '' : `${line}:${column}: `, where ? `${where} ` : '', problem, fix ? ` (${fix})` : ''].join('');
