/** One server that an address names. `host` is a name, an IP address without brackets, or a folder of Unix sockets. */
interface PostgresHost {
  host: string;
  port: number | undefined;
}

interface PostgresAddress {
  /** Empty if the address leaves the host to `PGHOST`. */
  hosts: PostgresHost[];
  user: string | undefined;
  password: string | undefined;
  database: string | undefined;
  parameters: PostgresParameters;
}

const tlsModes = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;
type TlsMode = (typeof tlsModes)[number];

/** The parameters of an address, with their values; a list means one of these. */
const parameterValues = {
  sslmode: tlsModes,
  sslrootcert: 'text',
  target_session_attrs: ['any', 'read-write', 'read-only', 'primary', 'standby', 'prefer-standby'],
  application_name: 'text',
  options: 'text',
  host: 'text',
  connect_timeout: 'number',
  // The driver has no channel binding, so an address may only say that it is not needed.
  channel_binding: ['disable', 'prefer'],
} as const;
export type PostgresParameters = Partial<Record<keyof typeof parameterValues, string>>;

type ParsedAddress = { address: PostgresAddress } | { problem: string } | { parameter: string; problem: string };

const addressPattern = /^postgres(?:ql)?:\/\/(?:([^/?#]*)@)?([^/?#@]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/i;

/** Parses an address. It is parsed once, here: two parsers that disagree about the host would send a password to a host
 *  that the user did not trust. */
export function parsePostgresAddress(text: string): ParsedAddress {
  const invalid = { problem: 'is not an address such as postgres://user@host:5432/name' };
  const parts = addressPattern.exec(text);
  if (!parts) return invalid;
  try {
    const [, login, hostList = '', path = '', query = ''] = parts;
    const [user, ...rest] = login === undefined ? [] : login.split(':');
    const password = rest.length > 0 ? decodeURIComponent(rest.join(':')) : undefined;
    const hosts = hostList === '' ? [] : hostList.split(',').map(parseHost);
    if (hosts.some((host) => host === undefined)) return invalid;
    const parameters = parseQuery(query);
    const problem = findParameterProblem(parameters, hosts.length > 0);
    if (problem) return problem;
    const named = parameters.host ? parameters.host.split(',').map((host) => ({ host, port: undefined })) : [];
    return {
      address: {
        hosts: [...(hosts as PostgresHost[]), ...named],
        user: user ? decodeURIComponent(user) : undefined,
        password: password || undefined,
        database: path ? decodeURIComponent(path) : undefined,
        parameters,
      },
    };
  } catch (error) {
    // A percent sign that starts no escape.
    if (error instanceof URIError) return invalid;
    throw error;
  }
}

const parseQuery = (query: string): Record<string, string> =>
  Object.fromEntries(
    query
      .split('&')
      .filter(Boolean)
      .map((pair) => {
        const [name = '', ...value] = pair.split('=');
        return [decodeURIComponent(name), decodeURIComponent(value.join('='))];
      }),
  );

function parseHost(text: string): PostgresHost | undefined {
  const [, bracketed, plain, port] = /^(?:\[([\da-f:.]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/i.exec(text) ?? [];
  const host = bracketed ?? (plain === undefined ? undefined : decodeURIComponent(plain));
  // A name with spaces, control characters or a second host in it names no server.
  if (!host || !(host.startsWith('/') || /^[\w.:%-]+$/.test(host)) || Number(port) > 65_535) return undefined;
  return { host, port: port === undefined ? undefined : Number(port) };
}

function findParameterProblem(parameters: Record<string, string>, hasHost: boolean): { parameter: string; problem: string } | undefined {
  for (const [parameter, value] of Object.entries(parameters)) {
    const problem = checkParameter(parameter, value, hasHost);
    if (problem) return { parameter, problem };
  }
  return undefined;
}

function checkParameter(name: string, value: string, hasHost: boolean): string | undefined {
  if (/^(?:ssl)?pass/i.test(name)) return 'the address has a password as a parameter; set PGPASSWORD instead';
  const shown = name.replace(/[^\w.-]/g, '?').slice(0, 40);
  if (!Object.hasOwn(parameterValues, name))
    return `the address has the unknown parameter ${shown}; known are ${Object.keys(parameterValues).join(', ')}`;
  if (name === 'host' && hasHost) return 'the address names a host twice; remove the parameter host';
  const expected: string | readonly string[] = parameterValues[name as keyof typeof parameterValues];
  if (expected === 'number') return /^\d{1,4}$/.test(value) ? undefined : `${shown} of the address must be a number of seconds`;
  if (expected === 'text') return /\p{Cc}/u.test(value) ? `${shown} of the address contains a control character` : undefined;
  return expected.includes(value) ? undefined : `${shown} of the address must be one of ${(expected as string[]).join(', ')}`;
}

/** Returns the servers of an address. Without one they are those of `PGHOST`, as with `psql`. */
export const listServers = ({ hosts }: Pick<PostgresAddress, 'hosts'>, environment: Record<string, string | undefined>): PostgresHost[] =>
  hosts.length > 0 ? hosts : (environment.PGHOST || 'localhost').split(',').map((host) => ({ host, port: undefined }));

/** True for this machine: the loopback addresses, the name `localhost`, and Unix sockets. */
export function isLoopbackHost(host: string): boolean {
  return host.startsWith('/') || host.toLowerCase() === 'localhost' || isLoopbackIp(host);
}

export const isLoopbackIp = (ip: string): boolean => /^(?:(?:::ffff:)?127(?:\.\d{1,3}){3}|::1)$/i.test(ip);

export interface TlsChoice {
  mode: TlsMode;
  /** The weaker mode of the project's address that is not followed. */
  ignored?: TlsMode;
}

/** Chooses the TLS mode. Beyond this machine certificate and host name are checked. Only the user's own address or `PGSSLMODE`
 *  weakens that, because a project's file is written by others. */
export function chooseTlsMode(input: {
  host: string;
  isOwnAddress: boolean;
  fromAddress: string | undefined;
  fromEnvironment: string | undefined;
}): TlsChoice {
  const fromAddress = toTlsMode(input.fromAddress);
  const fromEnvironment = toTlsMode(input.fromEnvironment);
  if (isLoopbackHost(input.host)) return { mode: fromAddress ?? fromEnvironment ?? 'disable' };
  if (input.isOwnAddress && fromAddress) return { mode: fromAddress };
  if (fromAddress === 'verify-full') return { mode: fromAddress };
  return { mode: fromEnvironment ?? 'verify-full', ...(fromAddress && !fromEnvironment ? { ignored: fromAddress } : {}) };
}

const toTlsMode = (text: string | undefined): TlsMode | undefined => tlsModes.find((mode) => mode === text);

/** Finds the password for a connection in the text of a password file: lines of `host:port:database:user:password`, where `*`
 *  matches everything and a backslash escapes `:` and itself. */
export function findPassword(text: string, target: { host: string; port: number; database: string; user: string }): string | undefined {
  // Clients of a Unix socket are listed as localhost.
  const wanted = [target.host.startsWith('/') ? 'localhost' : target.host, String(target.port), target.database, target.user];
  for (const line of text.split(/\r?\n/)) {
    if (line.startsWith('#')) continue;
    const fields = splitPasswordLine(line);
    const password = fields[4];
    if (password && wanted.every((value, i) => fields[i] === '*' || fields[i] === value)) return password;
  }
  return undefined;
}

function splitPasswordLine(line: string): string[] {
  const fields: string[] = [];
  let field = '';
  for (let i = 0; i < line.length; i++) {
    if (line[i] === '\\' && i + 1 < line.length) field += line[++i];
    else if (line[i] === ':' && fields.length < 4) {
      fields.push(field);
      field = '';
    } else field += line[i];
  }
  return [...fields, field];
}
