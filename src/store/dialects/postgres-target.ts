import '../errors.ts';
import { readFileSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { CleoError } from '#core/errors/error.ts';
import {
  chooseTlsMode,
  findPassword,
  listServers,
  type PostgresParameters,
  parsePostgresAddress,
  type TlsChoice,
} from '#core/rules/postgres-address.ts';
import { findService } from '#core/rules/postgres-defaults.ts';
import type { Stamp } from '../port/store.ts';
import type { PostgresOptions } from './postgres.ts';

/** One server to connect to, and what it may be sent. */
export interface PostgresServer {
  host: string;
  port: number;
  tls: TlsChoice;
  password: { value: string } | { problem: string };
}

/** Everything that a connection needs: the address, completed by the environment as `psql` does it. */
export interface PostgresTarget {
  servers: PostgresServer[];
  user: string;
  database: string;
  /** Reads the certificates of the authorities to trust; undefined means those of Node. */
  readAuthorities: () => Buffer | undefined;
  /** Parameters of the startup message. */
  startup: Record<string, string>;
  sessionKind: string | undefined;
  timeoutMs: number;
}

const defaultTimeoutMs = 10_000;

/** Resolves the address. A wrong parameter is a configuration error (exit 8); text that is not an address names no server. */
export function resolveTarget({
  url,
  source = 'store.url',
  isOwnAddress = false,
  environment: variables = {},
  ...options
}: PostgresOptions): PostgresTarget {
  const parsed = parsePostgresAddress(url);
  if ('parameter' in parsed) throw new CleoError('E_CONFIG_ERROR', { path: source, problem: parsed.problem, fix: 'cleo doctor' });
  if ('problem' in parsed)
    throw new CleoError('E_STORE_UNREACHABLE', { address: 'the configured address', problem: `${source} ${parsed.problem}` });
  const environment = { ...variables, ...readService(variables) };
  const { hosts, user: login, password, database: name, parameters } = parsed.address;
  const user = login ?? environment.PGUSER ?? readUserName(environment);
  const database = name ?? environment.PGDATABASE ?? user;
  const port = Number(environment.PGPORT) || 5432;
  const seconds = Number(parameters.connect_timeout ?? environment.PGCONNECT_TIMEOUT) || 0;
  return {
    servers: listServers({ hosts }, environment).map(({ host, port: own = port }) => ({
      host,
      port: own,
      tls: chooseTlsMode({ host, isOwnAddress, fromAddress: parameters.sslmode, fromEnvironment: environment.PGSSLMODE }),
      password: password ? { value: password } : readPassword(environment, { host, port: own, database, user }),
    })),
    user,
    database,
    readAuthorities: () => readAuthorities(environment, isOwnAddress ? parameters.sslrootcert : undefined),
    startup: {
      application_name: joinName(
        parameters.application_name ?? environment.PGAPPNAME,
        findCommand(options.client?.argv),
        options.client?.agent,
      ),
      ...(parameters.options ? { options: parameters.options } : {}),
    },
    sessionKind: readSessionKind(parameters, environment),
    timeoutMs: options.connectTimeoutMs ?? (seconds > 0 ? seconds * 1000 : defaultTimeoutMs),
  };
}

/** Returns the first word that can be a command; anything else may be private text. */
const findCommand = (argv: string[] = []): string | undefined => argv.slice(2).find((word) => /^[a-z][a-z-]{0,23}$/.test(word));

/** PostgreSQL cuts names at 63 bytes. Another encoding of the database could reject other characters than these. */
const joinName = (prefix = 'cleo', ...words: (string | undefined)[]): string =>
  [prefix, ...words]
    .filter(Boolean)
    .join(' ')
    .replace(/[^ -~]/g, '?')
    .slice(0, 63);

/** Formats the name of a transaction that writes: the administrators of the server, `doctor` and the error of a call that waits for the
 *  lock show it. */
export function formatApplicationName(options: PostgresOptions, { by, operation }: Stamp): string {
  let given = givenNames.get(options);
  if (!given) {
    const parsed = parsePostgresAddress(options.url);
    const ofAddress = 'address' in parsed ? parsed.address.parameters.application_name : undefined;
    given = { name: ofAddress ?? options.environment?.PGAPPNAME };
    givenNames.set(options, given);
  }
  return joinName(given.name, operation, by);
}

/** Application names in the addresses, parsed once: a server needs its name for every write. */
const givenNames = new WeakMap<PostgresOptions, { name: string | undefined }>();

/** Formats the servers and the database for messages. */
export const formatTarget = ({ servers, database }: Pick<PostgresTarget, 'servers' | 'database'>): string =>
  `${servers.map(({ host, port }) => `${host.includes(':') ? `[${host}]` : host}:${port}`).join(',')}/${database}`;

function readSessionKind(parameters: PostgresParameters, environment: Record<string, string | undefined>): string | undefined {
  const value = parameters.target_session_attrs ?? environment.PGTARGETSESSIONATTRS;
  if (!value || value === 'any') return undefined;
  const isKnown = ['read-write', 'read-only', 'primary', 'standby', 'prefer-standby'].includes(value);
  // The driver throws an error without a code.
  if (!isKnown) throw new CleoError('E_CONFIG_ERROR', { path: 'PGTARGETSESSIONATTRS', problem: `${value} is unknown`, fix: 'cleo doctor' });
  return value;
}

/** Reads the connection service that `PGSERVICE` names. As with `psql` it takes precedence over the other variables. */
function readService(environment: Record<string, string | undefined>): Record<string, string> {
  const name = environment.PGSERVICE;
  if (!name) return {};
  const files = [
    environment.PGSERVICEFILE || findUserFile(environment, '.pg_service.conf', '.pg_service.conf'),
    environment.PGSYSCONFDIR && join(environment.PGSYSCONFDIR, 'pg_service.conf'),
  ].filter((file): file is string => Boolean(file));
  for (const file of files) {
    const service = findService(readTextFile(file), name);
    if (service) return service;
  }
  const problem = `the service ${name} is not in ${files.join(' or ') || 'a service file: PGSERVICEFILE is not set'}`;
  throw new CleoError('E_CONFIG_ERROR', { path: 'PGSERVICE', problem, fix: 'cleo doctor' });
}

function readTextFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return '';
    throw new CleoError('E_CONFIG_ERROR', { path, problem: `cannot be read (${code})`, fix: 'cleo doctor' }, { cause: error });
  }
}

function readUserName(environment: Record<string, string | undefined>): string {
  try {
    return userInfo().username;
  } catch {
    // Containers can run as a user without a name.
    return environment.LOGNAME ?? environment.USER ?? 'postgres';
  }
}

function readPassword(
  environment: Record<string, string | undefined>,
  target: { host: string; port: number; database: string; user: string },
): PostgresServer['password'] {
  if (environment.PGPASSWORD) return { value: environment.PGPASSWORD };
  const none = { problem: 'the server asks for a password; set PGPASSWORD, or add a line for it to the password file' };
  const file = environment.PGPASSFILE || findUserFile(environment, '.pgpass', 'pgpass.conf');
  if (!file) return none;
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    if (!found?.isFile()) return none;
    // Windows has no modes.
    if (process.platform !== 'win32' && (found.mode & 0o077) !== 0)
      return { problem: `the password file ${file} is not used, because others can read it; chmod 600 it, or set PGPASSWORD` };
    const value = findPassword(readFileSync(file, 'utf8'), target);
    return value === undefined ? none : { value };
  } catch (error) {
    return { problem: `the password file ${file} cannot be read (${(error as NodeJS.ErrnoException).code})` };
  }
}

/** Reads the authorities as `psql` does: the configured file, or `~/.postgresql/root.crt` if it exists. */
function readAuthorities(environment: Record<string, string | undefined>, fromAddress: string | undefined): Buffer | undefined {
  const given = fromAddress ?? environment.PGSSLROOTCERT;
  if (given === 'system') return undefined;
  const file = given || findUserFile(environment, join('.postgresql', 'root.crt'), 'root.crt');
  if (!file || (!given && !statSync(file, { throwIfNoEntry: false }))) return undefined;
  try {
    return readFileSync(file);
  } catch (error) {
    const problem = `cannot be read (${(error as NodeJS.ErrnoException).code}); it is the file of trusted authorities`;
    throw new CleoError('E_CONFIG_ERROR', { path: file, problem, fix: 'cleo doctor' }, { cause: error });
  }
}

/** Returns the path of a file of the PostgreSQL clients: in the home folder, on Windows in `%APPDATA%\postgresql`. */
function findUserFile(environment: Record<string, string | undefined>, name: string, windowsName: string): string | undefined {
  if (process.platform === 'win32') return environment.APPDATA ? join(environment.APPDATA, 'postgresql', windowsName) : undefined;
  return environment.HOME ? join(environment.HOME, name) : undefined;
}
