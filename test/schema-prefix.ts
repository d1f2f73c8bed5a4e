/** Of all schemas of one run, which is the process that this one was started by. */
export const getSchemaPrefix = (run: number): string => `cleo_t${run}_`;
