/** The prefix of all schemas of one test run, which is identified by its main process. */
export const getSchemaPrefix = (run: number): string => `cleo_t${run}_`;
