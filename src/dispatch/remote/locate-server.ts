import type { Operation } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { findServerAddressProblem } from '#core/rules/server-address.ts';
import { defined } from '#lib/collections.ts';
import type { Platform } from '#platform/port.ts';
import '#store/errors.ts';
import { requireProject } from '../call-context.ts';

/** The server in front of the store, and what a client needs to call it. */
export interface ServerLocation {
  url: string;
  /** The key of the project on the server. */
  project?: string;
  token?: string;
  busyTimeoutMs: number;
}

/** Returns the server of the project. Throws if the user has not trusted it, or if its address is not valid. */
export async function locateServer(platform: Platform): Promise<ServerLocation> {
  const { config, serverUrl, token } = platform;
  const project = requireProject(platform);
  await (await platform.loadTrust()).requireStore(project);
  const values = config.load(project);
  const url = serverUrl ?? values['server.url'];
  const isOwnAddress = serverUrl !== undefined || url === config.inspect(config.userFile()).values['server.url'];
  const problem = findServerAddressProblem(url, isOwnAddress);
  if (problem)
    throw new CleoError('E_CONFIG_ERROR', {
      path: serverUrl === undefined ? config.projectFile(project) : 'CLEO_SERVER',
      problem: `${serverUrl === undefined ? 'server.url ' : ''}${problem}`,
      fix: 'cleo config get server.url',
    });
  return { url, busyTimeoutMs: values['store.busyTimeoutMs'], ...defined({ project: values['server.project'] || undefined, token }) };
}

/** Creates the error of what would open the store directly, such as an operation that also uses the checkout. */
export function createBehindServerError(platform: Platform, operation?: Operation, command = 'cleo serve'): CleoError {
  const { config, serverUrl } = platform;
  const server = serverUrl ?? config.load(requireProject(platform))['server.url'];
  return new CleoError('E_STORE_BEHIND_SERVER', { operation: operation?.name ?? 'This command', server, command });
}
