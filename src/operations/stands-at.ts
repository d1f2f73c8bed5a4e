/** By its name an operation is found: `tasks.add-batch` is `tasksAddBatch` of `tasks/add-batch.ts`. */
export const standsAt = (name: string): { file: string; exported: string } => ({
  file: `${name.replace('.', '/').replaceAll('.', '-')}.ts`,
  exported: name.replace(/[.-](.)/g, (_, letter: string) => letter.toUpperCase()),
});
