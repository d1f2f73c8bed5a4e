/** Variables by which the calls of an agent reach the same store as `cleo work`: the folder of the user, addresses, the token of a server,
 *  and what PostgreSQL reads from the environment. Their secrets are hidden in everything that is stored. */
export const storeVariables = `
  CLEO_HOME CLEO_DATABASE_URL CLEO_SERVER CLEO_TOKEN
  PGHOST PGPORT PGUSER PGPASSWORD PGPASSFILE PGSERVICE PGSERVICEFILE PGSSLMODE PGSSLROOTCERT PGSSLCERT PGSSLKEY PGAPPNAME
`
  .trim()
  .split(/\s+/);
