/** Folder of the operations of each namespace, below `src/`, and of the operations whose domain differs from their namespace. A text,
 *  because every start would create an object with all its keys to look up one of them. */
const folders = `
admin admin/operations
assess assess/operations
construct runs/operations/construct
docs documents/operations
handoff runs/operations/handoff
lifecycle planning/operations/lifecycle
memory memory/operations
nexus nexus/operations
orchestrate orchestration/operations
release release/operations
research research/operations
review runs/operations/review
saga planning/operations/saga
session sessions/operations/session
skills skills/operations
system sessions/operations/system
sync transfer/operations/sync
tasks tasks/operations
trace runs/operations/trace
validate research/operations/validate
validator verification/operations/validator
verify verification/operations/verify
work work/operations
workgraph planning/operations/workgraph
admin.grade grade/operations
admin.grade.list grade/operations
admin.grade.sign grade/operations
admin.setup.git transfer/operations
admin.trust admin/operations/trust
admin.trust.list admin/operations/trust
admin.trust.print admin/operations/trust
admin.trust.remove admin/operations/trust
admin.trust.status admin/operations/trust
admin.proof.passphrase sessions/operations/proof
admin.proof.verify sessions/operations/proof
skills.run runs/operations/skills
tasks.context orchestration/operations/tasks
tasks.export transfer/operations
tasks.export.file transfer/operations
tasks.import transfer/operations
tasks.imported transfer/operations
`;

function findFolder(key: string): string | undefined {
  const start = folders.indexOf(`\n${key} `);
  return start < 0 ? undefined : folders.slice(start + key.length + 2, folders.indexOf('\n', start + 1));
}

/** Returns the file and export of an operation: `tasks.add-batch` is `tasksAddBatch` in `tasks/operations/add-batch.ts`. */
export function operationPath(name: string): { file: string; exported: string } {
  const dot = name.indexOf('.');
  const folder = findFolder(name) ?? findFolder(name.slice(0, dot));
  return {
    file: `${folder}/${name.slice(dot + 1).replaceAll('.', '-')}.ts`,
    exported: toCamelCase(name),
  };
}

/** A loop, because a replacement with a pattern and a function takes 0.03 ms, and every start needs one name. */
function toCamelCase(name: string): string {
  let text = '';
  for (let i = 0; i < name.length; i++) text += name[i] === '.' || name[i] === '-' ? name[++i]!.toUpperCase() : name[i];
  return text;
}
