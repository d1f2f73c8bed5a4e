/** Folder of the operations of each namespace, below `src/`. */
const folders: Record<string, string> = {
  admin: 'admin/operations',
  assess: 'assess/operations',
  construct: 'runs/operations/construct',
  docs: 'documents/operations',
  handoff: 'runs/operations/handoff',
  lifecycle: 'planning/operations/lifecycle',
  memory: 'memory/operations',
  nexus: 'nexus/operations',
  orchestrate: 'orchestration/operations',
  release: 'release/operations',
  research: 'research/operations',
  review: 'runs/operations/review',
  saga: 'planning/operations/saga',
  session: 'sessions/operations/session',
  skills: 'skills/operations',
  system: 'sessions/operations/system',
  sync: 'transfer/operations/sync',
  tasks: 'tasks/operations',
  trace: 'runs/operations/trace',
  validate: 'research/operations/validate',
  validator: 'verification/operations/validator',
  verify: 'verification/operations/verify',
  workgraph: 'planning/operations/workgraph',
};

/** Operations whose domain differs from their namespace. */
const exceptions: Record<string, string> = {
  'admin.grade': 'grade/operations',
  'admin.grade.list': 'grade/operations',
  'admin.grade.sign': 'grade/operations',
  'admin.setup.git': 'transfer/operations',
  'admin.trust': 'admin/operations/trust',
  'admin.trust.list': 'admin/operations/trust',
  'admin.trust.print': 'admin/operations/trust',
  'admin.trust.remove': 'admin/operations/trust',
  'admin.trust.status': 'admin/operations/trust',
  'admin.proof.passphrase': 'sessions/operations/proof',
  'admin.proof.verify': 'sessions/operations/proof',
  'skills.run': 'runs/operations/skills',
  'tasks.context': 'orchestration/operations/tasks',
  'tasks.export': 'transfer/operations',
  'tasks.export.file': 'transfer/operations',
  'tasks.import': 'transfer/operations',
  'tasks.imported': 'transfer/operations',
};

/** Returns the file and export of an operation: `tasks.add-batch` is `tasksAddBatch` in `tasks/operations/add-batch.ts`. */
export function operationPath(name: string): { file: string; exported: string } {
  const dot = name.indexOf('.');
  const folder = exceptions[name] ?? folders[name.slice(0, dot)];
  return {
    file: `${folder}/${name.slice(dot + 1).replaceAll('.', '-')}.ts`,
    exported: name.replace(/[.-](.)/g, (_, letter: string) => letter.toUpperCase()),
  };
}
