import type { JsonSchema } from '@valibot/to-json-schema';
import { getErrorCatalog } from '../src/admin/all-errors.ts';
import { listErrorCodes } from '../src/admin/operations/help.ts';
import { processes } from '../src/admin/operations/shared/processes.ts';
import { describeParams, formatCommand, listCommandNames } from '../src/core/command-line.ts';
import type { Operation } from '../src/core/define.ts';
import { describeScope } from '../src/core/describe-scope.ts';
import { exitCodes } from '../src/core/errors/exit-codes.ts';
import { describedGlobalFlags } from '../src/core/global-flag-meanings.ts';
import { defaultConfig, type FixedKey, getConfigSpec, openGroups } from '../src/core/model/config.ts';
import { configMeanings } from '../src/core/model/config-meanings.ts';
import { createJsonSchema } from '../src/core/model/json-schema.ts';
import { getRequiredScope } from '../src/core/rules/token-scope.ts';
import { describeArguments, describeFlags, formatUsage } from '../src/core/usage.ts';
import { listExitRows } from '../src/runs/rules/exit-rows.ts';
import { HandoffSchema, SessionSummarySchema } from '../src/sessions/model/session.ts';
import {
  NoteSchema,
  RelationSchema,
  TaskClaimSchema,
  TaskHitSchema,
  TaskReceiptSchema,
  TaskRowSchema,
  TaskSchema,
} from '../src/tasks/model/task.ts';

/** Records that many operations return. Pages link to them instead of listing their fields. */
const records: Record<string, { schema: unknown; about: string }> = {
  Task: { schema: TaskSchema, about: 'A task with all its fields' },
  TaskReceipt: { schema: TaskReceiptSchema, about: 'The result of a write: the identity of the task and the changed fields' },
  TaskRow: { schema: TaskRowSchema, about: 'A task in a list' },
  TaskHit: { schema: TaskHitSchema, about: 'A task as search finds it' },
  TaskClaim: { schema: TaskClaimSchema, about: 'The agent that holds a task, and when its lease expires' },
  Session: { schema: SessionSummarySchema, about: 'A session in lists and receipts' },
  Handoff: { schema: HandoffSchema, about: 'The summary of a session for the next one' },
  Note: { schema: NoteSchema, about: 'A note on a task' },
  Relation: { schema: RelationSchema, about: 'A relation to another task' },
};
const recordNames = new Map(Object.entries(records).map(([name, { schema }]) => [JSON.stringify(createJsonSchema(schema)), name]));

const generatedNote = '<!-- Generated from the definitions by test/reference.test.ts; run `npm test -- -u` to update it. -->\n';

/** Creates the reference: an index page, a page for each domain, the exit codes, the configuration and the records. */
export function createReferencePages(operations: Operation[]): Map<string, string> {
  const byDomain = new Map<string, Operation[]>();
  for (const operation of operations) {
    const domain = operation.name.split('.', 1)[0]!;
    byDomain.set(domain, [...(byDomain.get(domain) ?? []), operation]);
  }
  return new Map([
    ['README.md', formatIndexPage(byDomain)],
    ['exit-codes.md', formatExitPage()],
    ['configuration.md', formatConfigPage()],
    ['records.md', formatRecordPage()],
    ...[...byDomain].map(([domain, members]): [string, string] => [`${domain}.md`, formatDomainPage(domain, members)]),
  ]);
}

const getGateway = (operation: Operation): string => (operation.kind === 'query' ? 'query' : 'mutate');
const formatCell = (text: string): string =>
  text
    .replaceAll('|', '\\|')
    .replaceAll('\n', ' ')
    .replace(/`[^`]*`|</g, (part) => (part === '<' ? '&lt;' : part));
const formatRow = (...cells: string[]): string => `| ${cells.map(formatCell).join(' | ')} |\n`;
const formatTable = (head: string[], rows: string[][]): string =>
  `${formatRow(...head)}|${'---|'.repeat(head.length)}\n${rows.map((cells) => formatRow(...cells)).join('')}`;
const toAnchor = (name: string): string => name.replaceAll('.', '');

const formatScope = (operation: Operation): string => {
  const { scope } = operation;
  const lowest = getRequiredScope(operation);
  return typeof scope === 'object' ? `${lowest}, ${scope.scope}` : lowest;
};

function formatIndexPage(byDomain: Map<string, Operation[]>): string {
  return [
    generatedNote,
    '# Reference\n',
    'All operations of the command line, MCP and HTTP. See also the [exit codes](exit-codes.md), the [configuration](configuration.md) and the [records](records.md) in the results.\n',
    ...[...byDomain].flatMap(([domain, operations]) => [
      `## ${domain}\n`,
      formatTable(
        ['operation', 'command', 'gateway', 'tier', 'scope', ''],
        operations.map((operation) => [
          `[${operation.name}](${domain}.md#${toAnchor(operation.name)})`,
          `\`${formatUsage(operation)}\``,
          getGateway(operation),
          String(operation.tier),
          formatScope(operation),
          operation.summary,
        ]),
      ),
    ]),
    '## Long-running commands\n',
    'These commands run until they are stopped. They are not operations: they have no envelope and no audit entry.\n',
    ...processes.flatMap((process) => [
      `\`${formatUsage(process)}\`: ${process.summary}.\n`,
      ...(describeParams(process.params).length
        ? [
            formatTable(
              ['parameter', ''],
              [
                ...describeArguments(process).map((shape) => [`\`<${shape.name}>\``, shape.about]),
                ...describeFlags(process).map(({ flags, value, shape }) => [
                  flags.map((flag) => `\`${flag}${value ? ` ${value}` : ''}\``).join(', '),
                  shape.about,
                ]),
              ],
            ),
          ]
        : []),
    ]),
    '## Global flags\n',
    'Every command accepts:\n',
    formatTable(
      ['flag', ''],
      describedGlobalFlags.map(({ flags, value, about }) => [
        flags.map((flag) => `\`${flag}${value ? ` ${value}` : ''}\``).join(', '),
        about,
      ]),
    ),
  ].join('\n');
}

function formatDomainPage(domain: string, operations: Operation[]): string {
  return [generatedNote, `# ${domain}\n`, ...operations.map(formatOperation)].join('\n');
}

function formatOperation(operation: Operation): string {
  const [, ...others] = listCommandNames(operation);
  const facts = [
    `\`${getGateway(operation)}\``,
    `tier ${operation.tier}`,
    `scope ${describeScope(operation)}`,
    ...(others.length ? [`also ${others.map((command) => `\`cleo ${command}\``).join(', ')}`] : []),
    ...(operation.aliases?.length ? [`other names: ${operation.aliases.map((name) => `\`${name}\``).join(', ')}`] : []),
  ];
  const [domain, ...rest] = operation.name.split('.');
  const call = { domain, operation: rest.join('.'), params: operation.example.call };
  const errors = operation.errors
    .filter((code) => !('getExit' in getErrorCatalog()[code]))
    .map((code) => ({ code, exit: getErrorCatalog()[code].exit }))
    .sort((a, b) => a.exit - b.exit);
  return [
    `## ${operation.name}\n`,
    `${operation.summary}.\n`,
    `\`${formatUsage(operation)}\` (${facts.join(' · ')})\n`,
    ...formatParameters(operation),
    'Result:\n',
    ...formatResults(operation),
    '',
    ...(errors.length
      ? [`Errors: ${errors.map(({ code, exit }) => `\`${code}\` ([${exit}](exit-codes.md))`).join(', ')}.\n`]
      : operation.exitNamespace
        ? ['Errors are `E_SKILL_<CLASS>`, with the [exit codes of skills](exit-codes.md#exit-codes-of-skills).\n']
        : ['No errors of its own.\n']),
    `Example${operation.example.world ? ` with ${operation.example.world.map((line) => `\`${line}\``).join(', ')}` : ''}${operation.example.exit ? ` (exit ${operation.example.exit})` : ''}:\n`,
    `\`\`\`sh\n${formatCommand(operation, operation.example.call)}\n\`\`\`\n`,
    `\`\`\`json\n${JSON.stringify(call)}\n\`\`\`\n`,
  ].join('\n');
}

function formatParameters(operation: Operation): string[] {
  const shapes = describeParams(operation.params);
  if (shapes.length === 0) return ['No parameters.\n'];
  const flags = new Map(describeFlags(operation).map((usage) => [usage.shape.name, usage.flags]));
  const properties = createJsonSchema(operation.params).properties ?? {};
  return [
    formatTable(
      ['parameter', 'command line', 'type', '', 'meaning'],
      shapes.map((shape) => [
        [shape.name, ...Object.entries(operation.paramAliases ?? {}).flatMap(([name, known]) => (known === shape.name ? [name] : []))]
          .map((name) => `\`${name}\``)
          .join(', also '),
        flags
          .get(shape.name)
          ?.map((flag) => `\`${flag}\``)
          .join(', ') ?? `\`<${shape.name}>\``,
        formatType(properties[shape.name]),
        shape.isRequired ? 'required' : shape.default === undefined ? '' : `default ${shape.default}`,
        shape.about,
      ]),
    ),
  ];
}

function formatResults(operation: Operation): string[] {
  const { properties = {}, required = [] } = createJsonSchema(operation.result);
  return Object.entries(properties).map(
    ([key, schema]) => `- \`${key}\`${required.includes(key) ? '' : ' (optional)'}: ${formatType(schema)}`,
  );
}

/** Describes a schema in a few words. */
function formatType(schema: JsonSchema | boolean | undefined): string {
  if (typeof schema !== 'object') return 'anything';
  const name = recordNames.get(JSON.stringify(schema));
  if (name) return `[${name}](records.md#${name.toLowerCase()})`;
  if (schema.enum) return schema.enum.map((value) => `\`${value}\``).join(', ');
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.anyOf) return [...new Set(schema.anyOf.map(formatType))].join(' or ');
  if (schema.type === 'array') return `list of ${formatType(schema.items as JsonSchema)}`;
  if (schema.type === 'object') return formatObjectType(schema);
  if (schema.type === 'string' && schema.pattern?.includes('SG-')) return 'task id';
  return String(schema.type ?? 'anything');
}

function formatObjectType({ properties, additionalProperties, required = [] }: JsonSchema): string {
  const names = Object.keys(properties ?? {});
  if (names.length > 0) return `object with ${names.map((name) => `\`${name}\`${required.includes(name) ? '' : '?'}`).join(', ')}`;
  return typeof additionalProperties === 'object' ? `object of ${formatType(additionalProperties)}` : 'object';
}

function formatExitPage(): string {
  const codes = (exit: number): string =>
    listErrorCodes(exit)
      .map((code) => `\`${code}\``)
      .join(', ');
  return [
    generatedNote,
    '# Exit codes\n',
    'A command exits with one of these; in JSON it is `error.exitCode`, or `_meta.exitCode` for 100 to 102, which are not errors. Every error has `error.fix`, a command that resolves it.\n',
    formatTable(
      ['code', 'constant', 'recoverable', 'what to do', 'errors'],
      exitCodes.map(({ code, constant, recoverable, recovery }) => [String(code), constant, recoverable, recovery, codes(code)]),
    ),
    '## Exit codes of skills\n',
    'Operations that run and assess skills use these codes and set `_meta.exitNamespace: "skill"`. `error.code` is `E_SKILL_` and the class.\n',
    formatTable(
      ['code', 'name', 'class', 'status', 'retried', 'action'],
      listExitRows().map(({ codes: which, name, class: exitClass, status, isRetried, action }) => [
        ...[which, name, exitClass, status, isRetried ? 'yes' : 'no', `\`${action}\``],
      ]),
    ),
  ].join('\n');
}

const typeWords: Record<string, string> = { count: 'whole number', flag: 'true or false', list: 'list of texts' };

function formatConfigPage(): string {
  return [
    generatedNote,
    '# Configuration\n',
    'Keys of `.cleo/config.json` in the project and `config.json` in the user\'s folder (`CLEO_HOME`, by default `~/.cleo`); the project overrides the user. In the file, dots are nested objects: `{"hierarchy":{"maxSiblings":7}}`.\n',
    formatTable(
      ['key', 'type', 'default', 'meaning'],
      [
        ...Object.entries(defaultConfig).map(([key, fallback]) => {
          const { type } = getConfigSpec(key as FixedKey);
          return [
            `\`${key}\``,
            typeof type === 'string' ? (typeWords[type] ?? type) : type.map((choice) => `\`${choice}\``).join(', '),
            String(fallback) === '' ? '' : `\`${fallback}\``,
            configMeanings[key as FixedKey],
          ];
        }),
        ...Object.entries(openGroups).map(([group, spec]) => [
          `\`${group}.<name>\``,
          spec.type,
          '',
          configMeanings[group as keyof typeof openGroups],
        ]),
      ],
    ),
  ].join('\n');
}

function formatRecordPage(): string {
  return [
    generatedNote,
    '# Records\n',
    'Missing values are omitted, never `null`.\n',
    ...Object.entries(records).flatMap(([name, { schema, about }]) => {
      const { properties = {}, required = [] } = createJsonSchema(schema);
      return [
        `## ${name}\n`,
        `${about}.\n`,
        formatTable(
          ['field', 'type', ''],
          Object.entries(properties).map(([field, type]) => [`\`${field}\``, formatType(type), required.includes(field) ? 'always' : '']),
        ),
      ];
    }),
  ].join('\n');
}
