import { relative, resolve, sep } from 'node:path';
import { getContentType } from '#lib/content-type.ts';
import { stripBom } from '#lib/parse-json.ts';
import type { Platform, Project } from '#platform/port.ts';
import type { FileEntry, RunnerPlatform } from '#platform/runner/port.ts';
import type { ArtifactFile, ResolvedArtifact } from '../model/artifact.ts';
import type { ArtifactSpec } from '../model/construct.ts';
import { expandVariables } from '../rules/construct/names.ts';
import type { Schemas } from './schemas.ts';

/** Finds the files of an artifact and checks them against its schema. */
export interface ArtifactFinder {
  find(spec: ArtifactSpec, vars: Record<string, string>): ResolvedArtifact;
}

const maxDocumentBytes = 16 * 2 ** 20;

export function createArtifactFinder(platform: RunnerPlatform, schemas: Schemas): ArtifactFinder {
  return {
    find(spec, vars) {
      const expanded = { ...spec, path: expandVariables(spec.path, vars) };
      const { files, isCut } = platform.findFiles(expanded.path);
      return {
        spec: expanded,
        files: files.map((file) => examineFile(platform, schemas, file, expanded.schema)),
        ...(isCut ? { isTruncated: isCut } : {}),
      };
    },
  };
}

function examineFile(platform: RunnerPlatform, schemas: Schemas, { path, kind, size }: FileEntry, schemaId: string | null): ArtifactFile {
  const base = { path, kind, size, sha256: '', contentType: getContentType(path), problems: [] };
  if (kind !== 'file') return base;
  const file: ArtifactFile = { ...base, sha256: platform.hashFile(path) };
  const docSchema = schemaId === null ? undefined : schemas.document(schemaId);
  const jsonSchema = schemaId === null ? undefined : schemas.json(schemaId);
  if ((!docSchema && !jsonSchema) || size === 0) return file;
  if (size > maxDocumentBytes) return { ...file, problems: ['is larger than 16 MiB'] };
  const text = decodeUtf8(platform.readFile(path));
  if (text === undefined) return { ...file, problems: ['is not UTF-8'] };
  if (!docSchema) return { ...file, problems: checkData(schemas, jsonSchema!, text, path) };
  return { ...file, ...schemas.measure(text, docSchema) };
}

/** Checks a JSON or YAML file against a JSON Schema. */
function checkData(schemas: Schemas, schema: Record<string, unknown>, text: string, path: string): string[] {
  const isYaml = /\.ya?ml$/i.test(path);
  let value: unknown;
  try {
    value = isYaml ? schemas.parseYaml(stripBom(text)) : JSON.parse(stripBom(text));
  } catch {
    return [`is not ${isYaml ? 'YAML' : 'JSON'}`];
  }
  return schemas.check(schema, value);
}

/** Undefined if the bytes are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Converts a path that is relative to the caller's folder into one that is relative to the project. Undefined if it is outside. */
export function toProjectPath({ folder }: Pick<Platform, 'folder'>, { root }: Pick<Project, 'root'>, path: string): string | undefined {
  const inProject = relative(root, resolve(folder, path));
  return inProject === '' || inProject === '..' || inProject.startsWith(`..${sep}`) ? undefined : inProject.split(sep).join('/');
}

/** Finds a file of the project by the path that a caller wrote: relative to the caller's folder first, then to the project. A path that
 *  leaves the project is not looked up, because the answer would reveal what exists there. */
export const findProjectPath = (
  platform: Pick<Platform, 'folder'>,
  project: Pick<Project, 'root'>,
  path: string,
  exists: (path: string) => boolean,
): string | undefined =>
  [toProjectPath(platform, project, path), toProjectPath({ folder: project.root }, project, path)].find(
    (one) => one !== undefined && exists(one),
  );
