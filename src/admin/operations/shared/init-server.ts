import { join } from 'node:path';
import type { JobContext } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import type { Config } from '#core/model/config.ts';
import { isLoopbackHost } from '#core/rules/postgres-address.ts';
import { findServerAddressProblem } from '#core/rules/server-address.ts';
import type { Project } from '#platform/port.ts';

/** The server in front of the store, and the key of the project on it. */
interface ServerChoice {
  url: string;
  key: string;
}

/** Returns the server that `init` was given; undefined without one. */
export function readServerChoice(
  ctx: JobContext,
  { server, project, store }: { server?: string | undefined; project?: string | undefined; store?: string | undefined },
): ServerChoice | undefined {
  const createError = (problem: string): CleoError => new CleoError('E_INVALID_INPUT', { problem, fix: 'cleo help init' });
  if (server === undefined && project === undefined) return undefined;
  if (server === undefined || project === undefined) throw createError('A server and the key of its project are passed together');
  if (store !== undefined) throw createError('Pass a server or the address of a store, not both');
  const { platform } = ctx;
  const isOwn = server === platform.serverUrl || server === platform.config.inspect(platform.config.userFile()).values['server.url'];
  const problem = findServerAddressProblem(server, isOwn);
  if (problem) throw new CleoError('E_VALIDATION', { field: 'server', problem, fix: 'cleo help init' });
  const { hostname } = new URL(server);
  // The token of the user is sent there.
  if (!isOwn && !isLoopbackHost(hostname.replace(/^\[|\]$/g, '')))
    ctx.requireScope('admin', { subject: hostname, action: `Connecting the project to ${hostname}` });
  return { url: server.replace(/\/+$/, ''), key: project };
}

/** Rejects a folder that has a store of its own: naming a server does not move its data. */
export function checkNoOwnStore({ platform }: JobContext, project: Project, { url, key }: ServerChoice): void {
  const config = platform.config.load(project);
  const isSame = config['server.url'] === url && config['server.project'] === key;
  if (isSame || (!platform.files.exists(join(project.folder, 'cleo.db')) && !config['store.url'] && !config['server.url'])) return;
  throw new CleoError('E_VALIDATION', {
    field: 'server',
    problem: `${url} with project ${key} differs from the store of this project, which is ${describeStore(config)}`,
    fix: `cleo config get ${config['server.url'] ? 'server' : 'store'}.url`,
  });
}

const describeStore = (config: Config): string =>
  config['server.url'] ? `${config['server.url']} with project ${config['server.project']}` : config['store.url'] || 'a file in .cleo';

/** The settings that a choice writes. */
export const serverKeys = ['store.engine', 'server.url', 'server.project', 'project.key'] as const;

/** Writes the server to the configuration that the project shares. Returns false if it is there already. */
export async function writeServerChoice(
  { platform: { config } }: JobContext,
  project: Project,
  { url, key }: ServerChoice,
): Promise<boolean> {
  const path = config.projectFile(project);
  const before = config.inspect(path).values;
  const values = { 'store.engine': 'server', 'server.url': url, 'server.project': key, 'project.key': key } as const;
  const changed = serverKeys.filter((name) => before[name] !== values[name]);
  for (const name of changed) await config.set(path, name, values[name]);
  return changed.length > 0;
}
