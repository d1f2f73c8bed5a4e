import type { JsonSchema } from '@valibot/to-json-schema';
import { errorCatalog } from '../src/admin/all-errors.ts';
import { processes } from '../src/admin/operations/shared/processes.ts';
import { commandFor, commandsOf } from '../src/core/command-line.ts';
import type { Operation } from '../src/core/define.ts';
import { exits } from '../src/core/errors/exits.ts';
import { globalFlags } from '../src/core/global-flags.ts';
import { configKeys, openGroups } from '../src/core/model/config.ts';
import { jsonSchemaOf } from '../src/core/model/json-schema.ts';
import { shapesOf } from '../src/core/shape.ts';
import { argumentsOf, flagsOf, usageOf } from '../src/core/usage.ts';
import { exitRows } from '../src/runs/rules/exit-rows.ts';
import { Handoff, SessionSummary } from '../src/sessions/model/session.ts';
import { Note, Relation, Task, TaskClaim, TaskHit, TaskReceipt, TaskRow } from '../src/tasks/model/task.ts';

/** Records that many operations answer with; named instead of spelt out. */
const records: Record<string, { schema: unknown; about: string }> = {
  Task: { schema: Task, about: 'A task with everything that is known of it' },
  TaskReceipt: { schema: TaskReceipt, about: 'The answer to a write: the identity of the task, and of the rest only what changed' },
  TaskRow: { schema: TaskRow, about: 'A task in a list' },
  TaskHit: { schema: TaskHit, about: 'A task as search finds it' },
  TaskClaim: { schema: TaskClaim, about: 'Who holds a task, and until when, if nothing more is heard of them' },
  Session: { schema: SessionSummary, about: 'A session in lists and receipts' },
  Handoff: { schema: Handoff, about: 'What whoever comes next has to know' },
  Note: { schema: Note, about: 'A note on a task' },
  Relation: { schema: Relation, about: 'A relation to another task' },
};
const named = new Map(Object.entries(records).map(([name, { schema }]) => [JSON.stringify(jsonSchemaOf(schema)), name]));

const note = '<!-- Written from the definitions by test/reference.test.ts; `npm test -- -u` writes it again. -->\n';

/** The reference: a page for each domain, the exit codes, the configuration, and a page that leads to them. */
export function pages(operations: Operation[]): Map<string, string> {
  const byDomain = new Map<string, Operation[]>();
  for (const operation of operations) {
    const domain = operation.name.split('.', 1)[0]!;
    byDomain.set(domain, [...(byDomain.get(domain) ?? []), operation]);
  }
  return new Map([
    ['README.md', indexPage(byDomain)],
    ['exit-codes.md', exitPage()],
    ['configuration.md', configPage()],
    ['records.md', recordPage()],
    ...[...byDomain].map(([domain, members]): [string, string] => [`${domain}.md`, domainPage(domain, members)]),
  ]);
}

const gatewayOf = (operation: Operation): string => (operation.kind === 'query' ? 'query' : 'mutate');
const cell = (text: string): string =>
  text
    .replaceAll('|', '\\|')
    .replaceAll('\n', ' ')
    .replace(/`[^`]*`|</g, (part) => (part === '<' ? '&lt;' : part));
const row = (...cells: string[]): string => `| ${cells.map(cell).join(' | ')} |\n`;
const table = (head: string[], rows: string[][]): string =>
  `${row(...head)}|${'---|'.repeat(head.length)}\n${rows.map((cells) => row(...cells)).join('')}`;
const anchor = (name: string): string => name.replaceAll('.', '');

function indexPage(byDomain: Map<string, Operation[]>): string {
  return [
    note,
    '# Reference\n',
    'Every operation, as the command line, MCP and HTTP know it. See also the [exit codes](exit-codes.md), the [configuration](configuration.md) and the [records](records.md) in the answers.\n',
    ...[...byDomain].flatMap(([domain, operations]) => [
      `## ${domain}\n`,
      table(
        ['operation', 'command', 'gateway', 'tier', ''],
        operations.map((operation) => [
          `[${operation.name}](${domain}.md#${anchor(operation.name)})`,
          `\`${usageOf(operation)}\``,
          gatewayOf(operation),
          String(operation.tier),
          operation.summary,
        ]),
      ),
    ]),
    '## Until they are stopped\n',
    'Commands that run until they are stopped. They are no operations: they have no envelope and no audit row.\n',
    ...processes.flatMap((process) => [
      `\`${usageOf(process)}\`: ${process.summary}.\n`,
      ...(shapesOf(process.params).length
        ? [
            table(
              ['parameter', ''],
              [
                ...argumentsOf(process).map((shape) => [`\`<${shape.name}>\``, shape.about]),
                ...flagsOf(process).map(({ flags, value, shape }) => [
                  flags.map((flag) => `\`${flag}${value ? ` ${value}` : ''}\``).join(', '),
                  shape.about,
                ]),
              ],
            ),
          ]
        : []),
    ]),
    '## Everywhere\n',
    'Every command takes:\n',
    table(
      ['flag', ''],
      globalFlags.map(({ flags, value, about }) => [flags.map((flag) => `\`${flag}${value ? ` ${value}` : ''}\``).join(', '), about]),
    ),
  ].join('\n');
}

function domainPage(domain: string, operations: Operation[]): string {
  return [note, `# ${domain}\n`, ...operations.map(section)].join('\n');
}

function section(operation: Operation): string {
  const [, ...others] = commandsOf(operation);
  const facts = [
    `\`${gatewayOf(operation)}\``,
    `tier ${operation.tier}`,
    ...(others.length ? [`also ${others.map((command) => `\`cleo ${command}\``).join(', ')}`] : []),
    ...(operation.aliases?.length ? [`other names: ${operation.aliases.map((name) => `\`${name}\``).join(', ')}`] : []),
  ];
  const [domain, ...rest] = operation.name.split('.');
  const call = { domain, operation: rest.join('.'), params: operation.example.call };
  const errors = operation.errors
    .filter((code) => !('exitOf' in errorCatalog()[code]))
    .map((code) => ({ code, exit: errorCatalog()[code].exit }))
    .sort((a, b) => a.exit - b.exit);
  return [
    `## ${operation.name}\n`,
    `${operation.summary}.\n`,
    `\`${usageOf(operation)}\` (${facts.join(' · ')})\n`,
    ...parameters(operation),
    'Answer:\n',
    ...results(operation),
    '',
    ...(errors.length
      ? [`Refusals of its own: ${errors.map(({ code, exit }) => `\`${code}\` ([${exit}](exit-codes.md))`).join(', ')}.\n`]
      : operation.exits
        ? ['Refusals are `E_SKILL_<CLASS>`, with the [exit codes of skills](exit-codes.md#exit-codes-of-skills).\n']
        : ['No refusals of its own.\n']),
    `Example${operation.example.world ? `, where there is ${operation.example.world.map((line) => `\`${line}\``).join(', ')}` : ''}${operation.example.exit ? ` (exit ${operation.example.exit})` : ''}:\n`,
    `\`\`\`sh\n${commandFor(operation, operation.example.call)}\n\`\`\`\n`,
    `\`\`\`json\n${JSON.stringify(call)}\n\`\`\`\n`,
  ].join('\n');
}

function parameters(operation: Operation): string[] {
  const shapes = shapesOf(operation.params);
  if (shapes.length === 0) return ['It takes no parameters.\n'];
  const flags = new Map(flagsOf(operation).map((usage) => [usage.shape.name, usage.flags]));
  const properties = jsonSchemaOf(operation.params).properties ?? {};
  return [
    table(
      ['parameter', 'command line', 'type', '', 'meaning'],
      shapes.map((shape) => [
        [shape.name, ...Object.entries(operation.paramAliases ?? {}).flatMap(([name, known]) => (known === shape.name ? [name] : []))]
          .map((name) => `\`${name}\``)
          .join(', also '),
        flags
          .get(shape.name)
          ?.map((flag) => `\`${flag}\``)
          .join(', ') ?? `\`<${shape.name}>\``,
        typeOf(properties[shape.name]),
        shape.isRequired ? 'required' : shape.default === undefined ? '' : `default ${shape.default}`,
        shape.about,
      ]),
    ),
  ];
}

function results(operation: Operation): string[] {
  const { properties = {}, required = [] } = jsonSchemaOf(operation.result);
  return Object.entries(properties).map(
    ([key, schema]) => `- \`${key}\`${required.includes(key) ? '' : ' (where there is one)'}: ${typeOf(schema)}`,
  );
}

/** A schema in a few words. */
function typeOf(schema: JsonSchema | boolean | undefined): string {
  if (typeof schema !== 'object') return 'anything';
  const name = named.get(JSON.stringify(schema));
  if (name) return `[${name}](records.md#${name.toLowerCase()})`;
  if (schema.enum) return schema.enum.map((value) => `\`${value}\``).join(', ');
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.anyOf) return [...new Set(schema.anyOf.map(typeOf))].join(' or ');
  if (schema.type === 'array') return `list of ${typeOf(schema.items as JsonSchema)}`;
  if (schema.type === 'object') return objectOf(schema);
  if (schema.type === 'string' && schema.pattern?.includes('SG-')) return 'task id';
  return String(schema.type ?? 'anything');
}

function objectOf({ properties, additionalProperties, required = [] }: JsonSchema): string {
  const names = Object.keys(properties ?? {});
  if (names.length > 0) return `object with ${names.map((name) => `\`${name}\`${required.includes(name) ? '' : '?'}`).join(', ')}`;
  return typeof additionalProperties === 'object' ? `object of ${typeOf(additionalProperties)}` : 'object';
}

function exitPage(): string {
  const codes = (exit: number): string =>
    Object.entries(errorCatalog())
      .filter(([, entry]) => entry.exit === exit && !('exitOf' in entry))
      .map(([code, entry]) => `\`${'code' in entry ? `${code}_…` : code}\``)
      .join(', ');
  return [
    note,
    '# Exit codes\n',
    'A command exits with one of these; in JSON it is `error.exitCode`, or `_meta.exitCode` for 100 to 102, which are not errors. Every refusal carries `error.fix`, a command that leads out of it.\n',
    table(
      ['code', 'constant', 'recoverable', 'what to do', 'errors'],
      exits.map(({ code, constant, recoverable, recovery }) => [String(code), constant, recoverable, recovery, codes(code)]),
    ),
    '## Exit codes of skills\n',
    'What runs and judges skills has these instead, and says so with `_meta.exitNamespace: "skill"`. `error.code` is `E_SKILL_` and the class.\n',
    table(
      ['code', 'name', 'class', 'status', 'retried', 'action'],
      exitRows().map(({ codes: which, name, class: exitClass, status, isRetried, action }) => [
        ...[which, name, exitClass, status, isRetried ? 'yes' : 'no', `\`${action}\``],
      ]),
    ),
  ].join('\n');
}

const typeWords: Record<string, string> = { count: 'whole number', flag: 'true or false', list: 'list of texts' };

function configPage(): string {
  return [
    note,
    '# Configuration\n',
    'Keys of `.cleo/config.json` in the project and `config.json` in the user\'s folder (`CLEO_HOME`, else `~/.cleo`); the project wins. In the file the dots are levels: `{"hierarchy":{"maxSiblings":7}}`.\n',
    table(
      ['key', 'type', 'default', 'meaning'],
      [
        ...Object.entries(configKeys).map(([key, spec]) => [
          `\`${key}\``,
          typeof spec.type === 'string' ? (typeWords[spec.type] ?? spec.type) : spec.type.map((choice) => `\`${choice}\``).join(', '),
          String(spec.default) === '' ? '' : `\`${spec.default}\``,
          spec.about,
        ]),
        ...Object.entries(openGroups).map(([group, spec]) => [`\`${group}.<name>\``, spec.type, '', spec.about]),
      ],
    ),
  ].join('\n');
}

function recordPage(): string {
  return [
    note,
    '# Records\n',
    'What is absent is left out, never `null`.\n',
    ...Object.entries(records).flatMap(([name, { schema, about }]) => {
      const { properties = {}, required = [] } = jsonSchemaOf(schema);
      return [
        `## ${name}\n`,
        `${about}.\n`,
        table(
          ['field', 'type', ''],
          Object.entries(properties).map(([field, type]) => [`\`${field}\``, typeOf(type), required.includes(field) ? 'always' : '']),
        ),
      ];
    }),
  ].join('\n');
}
