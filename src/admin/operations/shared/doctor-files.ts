import { join, relative } from 'node:path';
import { quote } from '#core/errors/catalog.ts';
import { CleoError } from '#core/errors/error.ts';
import type { ConfigProblem } from '#core/model/config.ts';
import { projectContextFile } from '#detect/model/project-context.ts';
import { readProjectContext } from '#detect/operations/shared/project-context.ts';
import { checkJsonLines } from '#lib/jsonl.ts';
import type { Platform, Project } from '#platform/port.ts';
import { findMisorderedLevels, getContextLimits } from '#sessions/rules/context-window.ts';
import { isLocalFile } from '../../rules/local-files.ts';
import { removePassword } from '../../rules/store-address.ts';
import type { CheckResult } from './doctor-checks.ts';

/** The two configuration files, the project's first, with their problems. */
export function inspectConfigFiles({ config }: Platform, project: Project): { path: string; scope: string; problems: ConfigProblem[] }[] {
  return [
    { path: config.projectFile(project), scope: '' },
    { path: config.userFile(), scope: ' --user' },
  ].map((file) => ({ ...file, problems: config.inspect(file.path).problems }));
}

export function checkConfigFiles(platform: Platform, project: Project): CheckResult {
  const findings: CheckResult['findings'] = inspectConfigFiles(platform, project).flatMap(({ path, scope, problems }) =>
    problems.map(({ key, problem }) => ({
      severity: 'error' as const,
      message: `${path}: ${`${key} ${problem}`.trim()}`,
      fix: key ? `cleo config unset ${quote(key)}${scope}` : 'cleo doctor --fix',
    })),
  );
  const path = platform.config.projectFile(project);
  for (const key of ['store.url', 'store.listenUrl'] as const) {
    const url = platform.config.inspect(path).values[key] ?? '';
    if (url !== removePassword(url))
      findings.push({
        severity: 'warning',
        message: `${path}: ${key} contains a password, and the file may be shared; set PGPASSWORD or CLEO_DATABASE_URL instead`,
        fix: `cleo config set ${key} ${quote(removePassword(url))}`,
      });
  }
  findings.push(...checkContextLevels(platform, project));
  return { findings };
}

/** Warns about a level of the context window that can never be reached. The fix unsets a setting that is not the default. */
function checkContextLevels(platform: Platform, project: Project): CheckResult['findings'] {
  const { config } = platform;
  const states = inspectConfigFiles(platform, project);
  if (states.some(({ problems }) => problems.length > 0)) return [];
  const values = config.load(project);
  const pair = findMisorderedLevels(getContextLimits(values));
  if (!pair) return [];
  const lowerKey = `context.${pair[0]}Percent` as const;
  const higherKey = `context.${pair[1]}Percent` as const;
  const set = [lowerKey, higherKey].flatMap((key) =>
    states.filter(({ path }) => config.inspect(path).values[key] !== undefined).map(({ scope }) => `${key}${scope}`),
  );
  return [
    {
      severity: 'warning',
      message: `${lowerKey} is ${values[lowerKey]}, above ${higherKey}, which is ${values[higherKey]}; it is never reached`,
      fix: `cleo config unset ${set[0]}`,
    },
  ];
}

/** True if the settings are valid, so that the location of the store is known. */
export function isConfigured({ config }: Platform, project: Project): boolean {
  try {
    config.load(project);
    return true;
  } catch (error) {
    if (error instanceof CleoError) return false;
    throw error;
  }
}

export async function checkProjectFiles(platform: Platform, project: Project, now: string): Promise<CheckResult> {
  const { files, databaseUrl } = platform;
  const findings: CheckResult['findings'] = [];
  const { isNetworkDrive } = await import('#platform/file-systems.ts');
  if (isNetworkDrive(project.folder) && !databaseUrl)
    findings.push({
      severity: 'warning',
      message: `${project.folder} is on a network file system, where SQLite locks are unreliable; use a PostgreSQL store`,
      fix: 'cleo help init',
    });
  for (const { path, state } of inspectJsonLines(platform, project)) {
    const name = relative(project.root, path);
    if (state.torn !== undefined)
      findings.push({ severity: 'error', message: `${name}: the last line is incomplete`, fix: 'cleo doctor --fix' });
    for (const line of state.invalidLines.slice(0, 5))
      findings.push({ severity: 'error', message: `${name}: line ${line} is not JSON`, fix: `sed -n ${line}p ${quote(path)}` });
  }
  if (files.exists(join(project.root, projectContextFile)) && !readProjectContext(platform, project))
    findings.push({
      severity: 'warning',
      message: `${projectContextFile} cannot be read and is ignored`,
      fix: 'cleo init --detect',
    });
  for (const name of listLeftovers(platform, project, now))
    findings.push({ severity: 'warning', message: `${name} was left behind by a process that did not finish`, fix: 'cleo doctor --fix' });
  const accessible = await listAccessibleFiles(platform, project);
  // Nothing below a closed folder can be reached.
  const isOpen = accessible.some(({ folder, paths }) => folder === project.folder && paths.includes(''));
  const { listGroupWritable } = await import('#platform/file-systems.ts');
  for (const path of isOpen ? listGroupWritable([project.folder, platform.config.projectFile(project)]) : [])
    findings.push({
      severity: 'warning',
      message: `${path} can be written by its group, whose members can change what cleo runs and connects to`,
      fix: 'cleo doctor --fix',
    });
  for (const { folder, paths } of accessible)
    findings.push({
      severity: 'warning',
      message: `other users can access ${paths.length === 1 ? '' : `${paths.length} files and folders, first `}${join(folder, paths[0] ?? '')}`,
      fix: 'cleo doctor --fix',
    });
  return { findings };
}

/** Lists what other users can access in `.cleo` and in the user's folder, but for files that git may have written. */
export async function listAccessibleFiles({ home }: Platform, { folder }: Project): Promise<{ folder: string; paths: string[] }[]> {
  const { listAccessible } = await import('#platform/file-systems.ts');
  // Nothing below a closed folder can be reached, and skills are copied with the modes of their source.
  const isHomeOpen = listAccessible(home, (path) => path === '').length > 0;
  return [
    { folder, paths: listAccessible(folder, (path) => path === '' || isLocalFile(path)) },
    { folder: home, paths: isHomeOpen ? listAccessible(home, (path) => !path.startsWith('skills/')) : [] },
  ].filter(({ paths }) => paths.length > 0);
}

export const inspectJsonLines = ({ files }: Platform, project: Project) =>
  files.find(project.folder, '.jsonl').map((path) => ({ path, state: checkJsonLines(files.readText(path) ?? '') }));

const transientPattern = /^cleo\.db\.(?:new|restore)-|\.tmp-\d+-|\.lock$|^.*\.db\.tmp$/;
const hourMs = 3_600_000;

/** Temporary files that are too old to be in use. The names are relative to `.cleo`. */
export const listLeftovers = ({ files }: Platform, project: Project, now: string): string[] =>
  ['', 'backups'].flatMap((folder) =>
    files
      .list(join(project.folder, folder))
      .filter(({ name, changedAt }) => transientPattern.test(name) && Date.parse(now) - Date.parse(changedAt) > hourMs)
      .map(({ name }) => join(folder, name)),
  );
