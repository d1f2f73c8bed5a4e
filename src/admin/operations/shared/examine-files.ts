import { join, relative } from 'node:path';
import { CleoError } from '#core/errors/error.ts';
import { quote } from '#core/errors/quote.ts';
import type { ConfigProblem } from '#core/model/config.ts';
import { projectContextFile } from '#detect/model/project-context.ts';
import { readProjectContext } from '#detect/operations/shared/project-context.ts';
import { checkJsonLines } from '#lib/jsonl.ts';
import type { Platform, Project } from '#platform/port.ts';
import { getContextLimits } from '#sessions/operations/shared/context-limits.ts';
import { findMisorderedLevels } from '#sessions/rules/context-window.ts';
import { withoutPassword } from '../../rules/address.ts';
import type { Seen } from './finding.ts';

/** The two files of settings, the project's first, and what is wrong in each. */
export function configStates({ config }: Platform, project: Project): { path: string; scope: string; problems: ConfigProblem[] }[] {
  return [
    { path: config.projectFile(project), scope: '' },
    { path: config.userFile(), scope: ' --user' },
  ].map((file) => ({ ...file, problems: config.inspect(file.path).problems }));
}

export function seenInConfig(platform: Platform, project: Project): Seen {
  const findings: Seen['findings'] = configStates(platform, project).flatMap(({ path, scope, problems }) =>
    problems.map(({ key, problem }) => ({
      severity: 'error' as const,
      message: `${path}: ${`${key} ${problem}`.trim()}`,
      fix: key ? `cleo config unset ${quote(key)}${scope}` : 'cleo doctor --fix',
    })),
  );
  const path = platform.config.projectFile(project);
  const url = platform.config.inspect(path).values['store.url'] ?? '';
  if (url !== withoutPassword(url))
    findings.push({
      severity: 'warning',
      message: `${path}: store.url holds a password, and the file may be shared; set PGPASSWORD or CLEO_DATABASE_URL instead`,
      fix: `cleo config set store.url ${quote(withoutPassword(url))}`,
    });
  findings.push(...disorder(platform, project));
  return { findings };
}

/** Levels of the context window of which one can never be reached; the fix takes out the setting that is not the default. */
function disorder(platform: Platform, project: Project): Seen['findings'] {
  const { config } = platform;
  const states = configStates(platform, project);
  if (states.some(({ problems }) => problems.length > 0)) return [];
  const values = config.load(project);
  const pair = findMisorderedLevels(getContextLimits(values));
  if (!pair) return [];
  const milder = `context.${pair[0]}Percent` as const;
  const graver = `context.${pair[1]}Percent` as const;
  const set = [milder, graver].flatMap((key) =>
    states.filter(({ path }) => config.inspect(path).values[key] !== undefined).map(({ scope }) => `${key}${scope}`),
  );
  return [
    {
      severity: 'warning',
      message: `${milder} is ${values[milder]}, above ${graver}, which is ${values[graver]}: it is never reached`,
      fix: `cleo config unset ${set[0]}`,
    },
  ];
}

/** Whether it can be told from the settings where the store is. */
export function isConfigured({ config }: Platform, project: Project): boolean {
  try {
    config.load(project);
    return true;
  } catch (error) {
    if (error instanceof CleoError) return false;
    throw error;
  }
}

export function seenInFiles(platform: Platform, project: Project, now: string): Seen {
  const { files, databaseUrl } = platform;
  const findings: Seen['findings'] = [];
  if (files.isNetworkDrive(project.folder) && !databaseUrl)
    findings.push({
      severity: 'warning',
      message: `${project.folder} is on a network file system, where locks of SQLite cannot be trusted; use a PostgreSQL store`,
      fix: 'cleo help init',
    });
  for (const { path, state } of jsonlStates(platform, project)) {
    const name = relative(project.root, path);
    if (state.torn !== undefined)
      findings.push({ severity: 'error', message: `${name}: the last line was cut short`, fix: 'cleo doctor --fix' });
    for (const line of state.invalidLines.slice(0, 5))
      findings.push({ severity: 'error', message: `${name}: line ${line} is not JSON`, fix: `sed -n ${line}p ${quote(path)}` });
  }
  if (files.exists(join(project.root, projectContextFile)) && !readProjectContext(platform, project))
    findings.push({
      severity: 'warning',
      message: `${projectContextFile} cannot be read, and counts as not there`,
      fix: 'cleo init --detect',
    });
  for (const name of leftovers(platform, project, now))
    findings.push({ severity: 'warning', message: `${name} was left by a process that did not finish`, fix: 'cleo doctor --fix' });
  return { findings };
}

export const jsonlStates = ({ files }: Platform, project: Project) =>
  files.find(project.folder, '.jsonl').map((path) => ({ path, state: checkJsonLines(files.readText(path) ?? '') }));

const transient = /^cleo\.db\.(?:new|restore)-|\.tmp-\d+-|\.lock$|^.*\.db\.tmp$/;
const hourMs = 3_600_000;

/** Names, relative to `.cleo`, of files that are only there while something is being written, and are too old for that. */
export const leftovers = ({ files }: Platform, project: Project, now: string): string[] =>
  ['', 'backups'].flatMap((folder) =>
    files
      .list(join(project.folder, folder))
      .filter(({ name, changedAt }) => transient.test(name) && Date.parse(now) - Date.parse(changedAt) > hourMs)
      .map(({ name }) => join(folder, name)),
  );
