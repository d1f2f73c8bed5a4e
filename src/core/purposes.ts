/** The purposes of commands, in the order of `help --all` and the manual, with the namespaces of their operations. */
const purposes: [title: string, namespaces: string[]][] = [
  ['Plan and do work', ['tasks']],
  ['Work in sessions', ['session', 'system']],
  ['Structure large plans', ['saga', 'workgraph', 'lifecycle']],
  ['Coordinate agents', ['orchestrate', 'work', 'nexus']],
  ['Share the plan', ['sync']],
  ['Verify and release', ['verify', 'validator', 'validate', 'release']],
  ['Share knowledge', ['memory', 'docs', 'research']],
  ['Run and assess skills', ['skills', 'construct', 'handoff', 'trace', 'review', 'assess']],
  ['Set up and maintain', ['admin']],
];

/** Groups operations by purpose. A namespace without a purpose is a group of its own at the end. */
export function groupByPurpose<T extends { name: string }>(operations: T[]): [title: string, operations: T[]][] {
  const groups = new Map<string, T[]>(purposes.map(([title]) => [title, []]));
  for (const operation of operations) {
    const namespace = operation.name.slice(0, operation.name.indexOf('.'));
    const title = purposes.find(([, namespaces]) => namespaces.includes(namespace))?.[0] ?? namespace;
    groups.set(title, [...(groups.get(title) ?? []), operation]);
  }
  return [...groups].filter(([, members]) => members.length > 0);
}
