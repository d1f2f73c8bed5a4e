import { type AgentClient, agentClients } from '../model/agent-clients.ts';
import type { ClientProcess, EnvironmentIdentity, ProcessEntry } from '../model/caller-identity.ts';

/** Finds the client that the process belongs to: by executable, by script, or by the package of the script. */
export function findClientOfProcess(entry: ProcessEntry): string | undefined {
  const { executable } = entry;
  const script = findScript(entry);
  const names = listProgramNames(entry);
  return agentClients.find(
    (client) => client.programs.some((each) => names.includes(each)) || [executable, script].some((path) => isInPackage(path, client)),
  )?.name;
}

/** Lists the names of the program: of its executable, its process and the script that it runs. */
export const listProgramNames = (entry: ProcessEntry): string[] =>
  [entry.executable, entry.argv[0] ?? '', entry.name, findScript(entry) ?? ''].map(getBaseName).filter(Boolean);

function findScript({ executable, argv: [program = '', ...words] }: ProcessEntry): string | undefined {
  return interpreters.test(getBaseName(executable || program)) ? words.find((word) => !word.startsWith('-')) : undefined;
}

const isInPackage = (path: string | undefined, client: AgentClient): boolean =>
  client.package !== undefined && path?.replaceAll('\\', '/').includes(`/node_modules/${client.package}/`) === true;

const interpreters = /^(node|nodejs|bun|deno|python[\d.]*|bash|sh|zsh|dash|tclsh[\d.]*|perl|ruby)$/;
const getBaseName = (path: string): string => path.replace(/^.*[\\/]/, '').replace(/\.(exe|cmd|js|mjs|cjs|py|sh)$/i, '');

/** The facts that decide who is calling. Absent facts are unknown. */
export interface CallerFacts {
  /** The agent named by the call, by its token or by CLEO_AGENT_ID. */
  named?: string | undefined;
  /** The conversation in the request, or in the input of a hook or a status line. */
  requested?: string | undefined;
  /** The environment of a stdio server is that of the moment it was started; the conversation may have changed since. */
  isServer: boolean;
  environment: EnvironmentIdentity;
  /** The nearest ancestor that is a client; for a server without one, its parent. */
  process?: Pick<ClientProcess, 'client' | 'pid' | 'startTime'> | undefined;
  /** The newest conversation that was recorded for `process`. */
  recorded?: string | undefined;
}

/** `isProvisional`: another surface of the same client may know the conversation, and then the agent is that one. */
interface CallerChoice {
  agent: string;
  isProvisional: boolean;
}

/** Chooses the agent: named outright, else the conversation, else the client's process, else the client, else the person. */
export function chooseAgent({ named, requested, isServer, environment, process, recorded }: CallerFacts): CallerChoice {
  const outright = named ?? (environment.kind === 'named' ? environment.agent : requested);
  if (outright !== undefined) return { agent: outright, isProvisional: false };
  const nearest = chooseNearest(environment, process?.client);
  if (nearest.kind === 'conversation' && !(isServer && recorded)) return { agent: nearest.agent, isProvisional: isServer };
  if (recorded) return { agent: recorded, isProvisional: false };
  if (process && (isServer || nearest.kind === 'mark')) return { agent: toProcessAgent(process), isProvisional: true };
  return { agent: nearest.agent, isProvisional: false };
}

/** A client that another client started inherits the variables of both. The nearest process is the one that calls; if it is hidden,
 *  the first one that names its conversation. */
function chooseNearest({ nested, ...environment }: EnvironmentIdentity, client: string | undefined): EnvironmentIdentity {
  return nested?.find((each) => each.client === client) ?? nested?.find(({ kind }) => kind === 'conversation') ?? environment;
}

const toProcessAgent = ({ client, pid, startTime }: Pick<ClientProcess, 'client' | 'pid' | 'startTime'>): string =>
  [client, pid, ...(startTime ? [startTime] : [])].join('-');
