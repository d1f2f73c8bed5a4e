import { description, maxLength, metadata, optional, pipe, string } from 'valibot';
import { commandLine } from '#core/errors/catalog.ts';
import type { Platform, Project } from '#platform/port.ts';
import type { RunnerPlatform } from '#platform/runner/port.ts';
import { createSkillError, showConstructCommand } from '../../errors/skill.ts';
import type { Construct, ManifestFinding } from '../../model/construct.ts';
import { manifestNames } from '../../rules/construct/conventions.ts';
import { type ConstructReading, maxManifestLength, readConstruct } from '../../rules/construct/read.ts';
import { decodeUtf8, findProjectPath, loadSchemas, type Schemas, toProjectPath } from '../../runner/artifacts.ts';

export const ConstructPath = optional(
  pipe(
    string(),
    maxLength(4096, 'must have at most 4096 characters'),
    description('Manifest file (default: construct.yaml, then .cleo/construct.yaml)'),
    metadata({ value: 'FILE' }),
  ),
);

interface ConstructManifest extends ConstructReading {
  file: string;
  runner: RunnerPlatform;
  schemas: Schemas;
}

/** Reads the manifest `path`, or the default one, with all its findings. A resumed run passes its own manifest as `defaultPath`. */
export async function readConstructManifest(
  { platform, project }: { platform: Platform; project: Project },
  path: string | undefined,
  defaultPath?: string,
): Promise<ConstructManifest> {
  const runner = await platform.createRunner(project);
  const exists = (one: string): boolean => runner.statFile(one) !== undefined;
  if (path !== undefined && toProjectPath(platform, project, path) === undefined)
    throw createSkillError(78, `${path} is outside the project`, 'cleo construct validate');
  const file =
    path !== undefined
      ? (findProjectPath(platform, project, path, exists) ?? path)
      : defaultPath !== undefined
        ? [defaultPath].find(exists)
        : (findProjectPath(platform, project, manifestNames[0], exists) ?? manifestNames.find(exists));
  if (file === undefined)
    throw createSkillError(78, `there is no ${defaultPath ?? manifestNames.join(' and no ')}`, 'cleo help construct run');
  const entry = runner.statFile(file);
  if (entry?.kind !== 'file') {
    const problem = entry ? 'is not a regular file inside the project' : 'does not exist';
    throw createSkillError(78, `${file} ${problem}`, 'cleo construct validate', { file });
  }
  const schemas = await loadSchemas(runner.readSchemaFiles());
  const bytes = entry.size > maxManifestLength ? undefined : runner.readFile(file);
  const text = bytes && decodeUtf8(bytes);
  if (text === undefined) {
    const problem = bytes ? 'is not UTF-8' : 'is larger than 1 MiB';
    return { kind: 'other', findings: [{ severity: 'error', where: '', problem }], file, runner, schemas };
  }
  const sections = new Map(schemas.ids().map((id) => [id, schemas.document(id)?.sections.map((section) => section.id)]));
  return { ...readConstruct(file, text, { digest: runner.hash(bytes!), schemas: sections }), file, runner, schemas };
}

/** Returns the construct, or throws if the manifest has errors or is a pack, which has no phases. */
export function requireConstruct({ construct, findings, kind, file }: ConstructManifest, isSkillNamed = false): Construct {
  const errors = findings.filter(({ severity }) => severity === 'error');
  if (!construct)
    throw createSkillError(78, `${file}: ${formatFinding(errors[0]!)}`, commandLine(['cleo', 'construct', 'validate', file]), {
      file,
      findings: errors,
    });
  if (kind === 'pack' && !isSkillNamed)
    throw createSkillError(78, `${file} is a pack, which has no phases; name a \`skill\``, showConstructCommand(file), { file });
  return construct;
}

export const formatFinding = ({ where, line, column, problem, fix }: ManifestFinding): string =>
  [line === undefined ? '' : `${line}:${column}: `, where ? `${where} ` : '', problem, fix ? ` (${fix})` : ''].join('');
