import type { Gateway } from '../src/core/model/audit.ts';
import type { GradeEntry } from '../src/grade/model/grade.ts';
import type { OperationNames } from '../src/grade/rules/grade.ts';

const gateways: Record<string, Gateway> = { q: 'cleo_query', m: 'cleo_mutate', h: 'http' };
const formatMinute = (seq: number): string => new Date(Date.UTC(2026, 0, 1) + seq * 60_000).toISOString();

export type LogLine = string | Partial<GradeEntry>;

/** Parses the log of a session, one entry a line: `q:tasks.show !4` failed with exit code 4 through cleo_query (`m:` cleo_mutate,
 *  `h:` HTTP, otherwise the command line); `tasks.find =100` succeeded with 100. `tasks.add T001 d p=T009 t=Title` created T001 with a
 *  description, a parent and a title; `d=…` sets the description. A line can also be an entry. */
export function parseLog(lines: LogLine[]): GradeEntry[] {
  return lines.map((line, i) => {
    const plain = { seq: i + 1, timestamp: formatMinute(i + 1), gateway: 'cli' as const, params: '{}', success: true, exitCode: 0 };
    if (typeof line !== 'string') return { ...plain, operation: 'tasks.add', created: [], ...line };
    const [called = '', ...words] = line.split(' ');
    const [, prefix, operation = ''] = /^(?:([qmh]):)?(.*)$/.exec(called)!;
    const created = words.filter((word) => /^T\d+$/.test(word));
    const failed = words.find((word) => word.startsWith('!'));
    const code = words.find((word) => word.startsWith('='));
    const given = (name: string): string | undefined =>
      words
        .find((word) => word.startsWith(`${name}=`))
        ?.slice(2)
        .replaceAll('_', ' ');
    const params = {
      ...(created[0] ? { title: given('t') ?? `Task ${created[0]}` } : {}),
      ...(words.includes('d') ? { description: 'About it' } : given('d') === undefined ? {} : { description: given('d') }),
      ...(given('p') ? { parent: given('p') } : {}),
      ...(given('i') ? { taskId: given('i') } : {}),
    };
    return {
      ...plain,
      operation,
      ...(prefix ? { gateway: gateways[prefix]! } : {}),
      params: JSON.stringify(params),
      success: !failed,
      exitCode: Number((failed ?? code ?? '=0').slice(1)),
      created,
    };
  });
}

/** Some operations and aliases of the registry. */
export const operationNames: OperationNames = new Map(
  [
    ['tasks.show', 'tasks.show', true],
    ['tasks.find', 'tasks.find', true],
    ['tasks.search', 'tasks.find', true],
    ['tasks.list', 'tasks.list', true],
    ['tasks.exists', 'tasks.exists', true],
    ['tasks.next', 'tasks.next', true],
    ['orchestrate.next', 'tasks.next', true],
    ['tasks.add', 'tasks.add', false],
    ['tasks.create', 'tasks.add', false],
    ['session.list', 'session.list', true],
    ['admin.help', 'admin.help', true],
    ['system.help', 'admin.help', true],
    ['admin.grade', 'admin.grade', true],
    ['admin.grade.list', 'admin.grade.list', true],
  ].map(([called, name, isRead]) => [called as string, { name: name as string, isRead: isRead as boolean }]),
);
