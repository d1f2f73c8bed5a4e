/** Variables that tell the calls of an agent who makes them. */
export const agentVariables = ['CLEO_AGENT_ID', 'CLEO_SESSION_ID', 'CLEO_ROOT', 'CLEO_RUN_ID', 'CLEO_EXECUTION_ID', 'CLEO_WORK_RUN'];

/** Variables by which the calls of an agent reach the same store as `cleo work`: the folder of the user, addresses, and what PostgreSQL
 *  reads from the environment. Their secrets are hidden in everything that is stored. */
const storeVariables = `
  CLEO_HOME CLEO_DATABASE_URL CLEO_SERVER
  PGHOST PGPORT PGUSER PGPASSWORD PGPASSFILE PGSERVICE PGSERVICEFILE PGSSLMODE PGSSLROOTCERT PGSSLCERT PGSSLKEY PGAPPNAME
`
  .trim()
  .split(/\s+/);

/** Behind a server the agents need the token as well. Otherwise `CLEO_TOKEN` is that of a person, which they never get. */
export const listStoreVariables = ({ isClient }: { isClient?: true }): string[] =>
  isClient ? [...storeVariables, 'CLEO_TOKEN'] : storeVariables;
