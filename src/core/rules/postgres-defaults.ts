/** The settings of a connection service, with the variables that mean the same. Others are not ours to obey. */
const serviceVariables: Record<string, string> = {
  host: 'PGHOST',
  port: 'PGPORT',
  dbname: 'PGDATABASE',
  user: 'PGUSER',
  password: 'PGPASSWORD',
  passfile: 'PGPASSFILE',
  sslmode: 'PGSSLMODE',
  sslrootcert: 'PGSSLROOTCERT',
  connect_timeout: 'PGCONNECT_TIMEOUT',
  application_name: 'PGAPPNAME',
  target_session_attrs: 'PGTARGETSESSIONATTRS',
};

/** Finds a service in the text of a service file: sections `[name]` with lines of `key=value`. Returns its settings as variables, or
 *  undefined if the file has no such section. */
export function findService(text: string, name: string): Record<string, string> | undefined {
  let found: Record<string, string> | undefined;
  for (const line of text.split(/\r?\n/).map((each) => each.trim())) {
    if (line === '' || line.startsWith('#')) continue;
    const section = /^\[(.*)\]$/.exec(line)?.[1];
    // The first section of this name counts, as with `psql`.
    if (section !== undefined && found) return found;
    if (section === name) found = {};
    else if (section === undefined && found) {
      const at = line.indexOf('=');
      const variable = serviceVariables[line.slice(0, at).trim()];
      if (at > 0 && variable) found[variable] = line.slice(at + 1).trim();
    }
  }
  return found;
}
