import { parse as parseToml } from 'smol-toml';
import { isPlainObject } from '#lib/collections.ts';
import { findJson, insertJson, parseJsonc, removeJson, removeOnce, replaceJson } from '#lib/jsonc.ts';
import { type BlockMarks, findBlock, markdownMarks, putBlock, removeBlock, tomlMarks } from '#lib/marked-block.ts';
import { stripBom } from '#lib/parse-json.ts';
import {
  agentText,
  type Client,
  clients,
  codexTable,
  formatHookCommand,
  type SetupPart,
  serverWords,
  workspaceFolder,
} from './setup-clients.ts';

/** The record of what setup wrote into a file, so that removing it restores the original file. */
export interface SetupRecord {
  /** True if setup created the file. */
  created?: true;
  /** Number of parent folders that setup created. */
  folders?: number;
  /** The inserted text by key path. */
  inserted?: Record<string, string>;
}

/** Reads a file of the project; undefined if it does not exist. */
export type ReadText = (file: string) => string | undefined;
/** Returns the record of an earlier setup. */
export type GetRecord = (file: string) => SetupRecord | undefined;

export interface FileEdit {
  file: string;
  /** Undefined: delete the file. */
  text: string | undefined;
  /** The added text. */
  added?: string;
  record?: SetupRecord;
}

/** The reason why a file cannot be edited. */
interface SetupConflict {
  file: string;
  problem: string;
}

export interface SetupPlan {
  edits: FileEdit[];
  conflicts: SetupConflict[];
  /** Parts that were skipped because the user has changed or set them. */
  warnings: string[];
}

/** Plans the edits that set up a client; none if it is already set up. */
export function planSetup(client: Client, readText: ReadText, getRecord: GetRecord, kinds: Set<SetupPart['kind']>): SetupPlan {
  const presentParts = findParts(client, readText);
  const plan = planEdits(client, locateParts(client, readText), readText, (part, text) => {
    if (!kinds.has(part.kind)) return {};
    if (part.content !== undefined) return planContentFile(part, readText(part.file), getRecord);
    if (!part.path) return isManualTable(part, text) ? {} : { text: putBlock(text, getBlockBody(part), getMarks(part)) };
    if (findJson(text, part.path, part.path.at(-1) === '[]' ? createMarkerTest(part) : undefined) !== undefined)
      return replaceInserted(part, part.path, text, getRecord) ?? checkForeignStatusLine(part, text);
    const edit = insertJson(text, part.path, part.value);
    return edit ?? { problem: `has neither an object nor a list at ${getKeyPath(part)}` };
  });
  for (const edit of plan.edits) {
    const previous = getRecord(edit.file);
    const inserted = { ...previous?.inserted, ...edit.record?.inserted };
    // A file that the user deleted and created again belongs to the user.
    const isOwnedFile = client.parts.some(({ file, content }) => file === edit.file && content !== undefined);
    const isCreated =
      isOwnedFile || readText(edit.file) === undefined || (previous?.created && presentParts.some(({ file }) => file === edit.file));
    edit.record = {
      ...(isCreated ? { created: true } : {}),
      ...(isCreated && previous?.folders ? { folders: previous.folders } : {}),
      ...(Object.keys(inserted).length > 0 ? { inserted } : {}),
    };
  }
  return plan;
}

/** Plans the edits that remove a client. A block that another client also reads stays. */
export function planRemoval(client: Client, readText: ReadText, getRecord: GetRecord): SetupPlan {
  const parts = locateParts(client, readText).toReversed();
  // The block may have been written to the other file.
  if (client.name === 'claude') parts.push(...['CLAUDE.md', 'AGENTS.md'].map((file) => ({ file, kind: 'text' as const })));
  const plan = planEdits(client, parts, readText, (part, text) => {
    if (readText(part.file) === undefined) return {};
    if (part.content !== undefined)
      return isUnchanged(part, text, getRecord)
        ? { text: '' }
        : getRecord(part.file)
          ? { warning: `${part.file} was changed and is kept` }
          : {};
    if (!part.path) return isShared(client, part, readText) ? {} : { text: removeBlock(text, getMarks(part)) };
    const inserted = getRecord(part.file)?.inserted?.[getKeyPath(part)];
    const remaining = inserted === undefined ? undefined : removeOnce(text, inserted);
    return {
      text: remaining !== undefined && 'value' in parseJsonc(remaining) ? remaining : removeJson(text, part.path, createMarkerTest(part)),
    };
  });
  for (const edit of plan.edits) {
    delete edit.record;
    delete edit.added;
    if (getRecord(edit.file)?.created && edit.text === getSeed(client, edit.file)) edit.text = undefined;
  }
  return plan;
}

/** The kinds of parts that are set up for a client. */
export const listPresentParts = (client: Client, readText: ReadText): Set<SetupPart['kind']> =>
  new Set(findParts(client, readText).map(({ kind }) => kind));

/** The command that the client starts as its MCP server, as its file names it. */
export interface ServerEntry {
  file: string;
  command: string[];
  env: Record<string, string>;
  cwd?: string;
}

/** Reads the entry of the server from the file of the client; undefined without a valid entry. */
export function readServerEntry(client: Client, readText: ReadText): ServerEntry | undefined {
  const part = locateParts(client, readText).find(({ kind }) => kind === 'mcp');
  const text = part && readText(part.file);
  const value = text === undefined ? undefined : part?.path ? readJsonValue(text, part.path) : readTable(text);
  if (!part || !isPlainObject(value)) return undefined;
  const { command, args = [], env, environment = env, cwd } = value;
  const words = [command, args].flat();
  if (words.length === 0 || !words.every((word) => typeof word === 'string')) return undefined;
  const variables = isPlainObject(environment) ? Object.entries(environment).filter(([, text]) => typeof text === 'string') : [];
  return {
    file: part.file,
    command: words,
    env: Object.fromEntries(variables) as Record<string, string>,
    ...(typeof cwd === 'string' ? { cwd } : {}),
  };
}

/** The hook commands of cleo in the files of a client. */
export const listHookCommands = (client: Client, readText: ReadText): { file: string; event: string; command: string }[] =>
  findParts(client, readText).flatMap((part) => {
    const value = part.kind === 'hooks' && part.path ? readJsonValue(readText(part.file) ?? '', part.path, createMarkerTest(part)) : {};
    const hooks = isPlainObject(value) && Array.isArray(value.hooks) ? value.hooks : [];
    return hooks.flatMap((hook) =>
      isPlainObject(hook) && typeof hook.command === 'string'
        ? [{ file: part.file, event: part.path?.[1] ?? '', command: hook.command }]
        : [],
    );
  });

/** Lists the commands of a client that setup did not write. A clone can bring any program in these files. */
export function listForeignCommands(client: Client, readText: ReadText): { file: string; command: string }[] {
  const entry = readServerEntry(client, readText);
  const isOwnEntry =
    !entry ||
    (entry.command.join('\0') === serverWords.join('\0') &&
      Object.keys(entry.env).length === 0 &&
      (entry.cwd === undefined || entry.cwd === workspaceFolder));
  const own = (['claude', 'codex', 'gemini'] as const).map(formatHookCommand);
  return [
    ...(isOwnEntry ? [] : [{ file: entry.file, command: formatEntry(entry) }]),
    ...listHookCommands(client, readText).filter(({ command }) => !own.includes(command)),
  ].map(({ file, command }) => ({ file, command }));
}

const formatEntry = ({ command, env, cwd }: ServerEntry): string =>
  [...Object.entries(env).map(([name, value]) => `${name}=${value}`), ...command, ...(cwd === undefined ? [] : [`(in ${cwd})`])].join(' ');

function readJsonValue(text: string, path: string[], isOurs?: (source: string) => boolean): unknown {
  const source = findJson(text, path, isOurs);
  const parsed = source === undefined ? undefined : parseJsonc(source);
  return parsed && 'value' in parsed ? parsed.value : undefined;
}

const findParts = (client: Client, readText: ReadText): SetupPart[] =>
  locateParts(client, readText).filter((part) => {
    const text = readText(part.file);
    if (text === undefined) return false;
    if (part.content !== undefined) return text === part.content;
    if (part.path) return findJson(text, part.path, createMarkerTest(part)) !== undefined;
    return part.kind === 'mcp' ? hasTable(text) : typeof findBlock(text, getMarks(part)) === 'object';
  });

/** Creates a file that setup owns, or updates it unless the user has changed it. */
function planContentFile(part: SetupPart, text: string | undefined, getRecord: GetRecord): PartEdit {
  if (text === part.content) return {};
  if (text !== undefined && !isUnchanged(part, text, getRecord)) return { warning: `${part.file} was not written by cleo and is kept` };
  return { text: part.content!, inserted: part.content! };
}

/** Replaces a value that an earlier version of cleo inserted, unless the user has edited it. */
function replaceInserted(part: SetupPart, path: string[], text: string, getRecord: GetRecord): PartEdit | undefined {
  if (JSON.stringify(readJsonValue(text, path, createMarkerTest(part))) === JSON.stringify(part.value)) return undefined;
  const inserted = getRecord(part.file)?.inserted?.[getKeyPath(part)];
  const edit = inserted === undefined ? undefined : replaceJson(text, path, part.value, createMarkerTest(part));
  if (!inserted || !edit || !inserted.includes(edit.before)) return undefined;
  return { text: edit.text, inserted: inserted.replace(edit.before, () => edit.after) };
}

const isUnchanged = (part: SetupPart, text: string, getRecord: GetRecord): boolean => {
  const record = getRecord(part.file);
  return record?.created === true && text === record.inserted?.[getKeyPath(part)];
};

interface PartEdit {
  text?: string;
  inserted?: string;
  problem?: string;
  warning?: string;
}

function planEdits(client: Client, parts: SetupPart[], readText: ReadText, step: (part: SetupPart, text: string) => PartEdit): SetupPlan {
  const plan: SetupPlan = { edits: [], conflicts: [], warnings: [] };
  const edits = new Map<string, { text: string; inserted: Record<string, string> }>();
  for (const part of parts) {
    const { file } = part;
    if (plan.conflicts.some((conflict) => conflict.file === file)) continue;
    const text = edits.get(file)?.text ?? readText(file) ?? getSeed(client, file);
    const problem = findSyntaxProblem(part, text);
    const edit = problem === undefined ? step(part, text) : { problem };
    if (edit.warning) plan.warnings.push(edit.warning);
    const problemAfter = edit.problem ?? (edit.text === undefined ? undefined : findSyntaxProblem(part, edit.text));
    if (problemAfter !== undefined) plan.conflicts.push({ file, problem: problemAfter });
    else if (edit.text !== undefined && edit.text !== text)
      edits.set(file, {
        text: edit.text,
        inserted: { ...edits.get(file)?.inserted, ...(edit.inserted === undefined ? {} : { [getKeyPath(part)]: edit.inserted }) },
      });
  }
  for (const [file, { text, inserted }] of edits)
    plan.edits.push({ file, text, added: findAddedText(readText(file), text), record: { inserted } });
  return plan;
}

/** The text that was added between two versions of a file. */
function findAddedText(before: string | undefined, after: string): string {
  if (before === undefined) return after;
  let start = 0;
  while (start < before.length && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < before.length - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  return after.slice(start, after.length - end);
}

/** The parts of a client with the files that this project uses for them. */
function locateParts(client: Client, readText: ReadText): SetupPart[] {
  return client.parts.map((part) => {
    if (part.kind === 'text' && client.name === 'claude') return { ...part, file: pickClaudeFile(readText) };
    if (client.name !== 'opencode' || part.kind !== 'mcp') return part;
    const file = readText('opencode.json') === undefined && readText('opencode.jsonc') !== undefined ? 'opencode.jsonc' : part.file;
    const isNested = findJson(readText(file) ?? '', ['mcp', 'servers'])?.startsWith('{');
    return { ...part, file, path: isNested ? ['mcp', 'servers', 'cleo'] : part.path! };
  });
}

/** Claude Code reads AGENTS.md only without a CLAUDE.md, or if CLAUDE.md imports it. A new CLAUDE.md would hide it. */
function pickClaudeFile(readText: ReadText): string {
  const own = readText('CLAUDE.md');
  const hasOther = readText('AGENTS.md') !== undefined;
  return hasOther && (own === undefined || /^@(?:\.\/)?AGENTS\.md\s*$/m.test(own)) ? 'AGENTS.md' : 'CLAUDE.md';
}

function isShared(client: Client, { file }: SetupPart, readText: ReadText): boolean {
  const others = clients.filter(({ name }) => name !== client.name);
  return others.some(
    (other) =>
      locateParts(other, readText).some((part) => part.kind === 'text' && part.file === file) &&
      listPresentParts(other, readText).has('mcp'),
  );
}

const getSeed = ({ seeds }: Client, file: string): string => seeds?.[file] ?? (file.endsWith('.json') ? '{}\n' : '');

const isToml = (file: string): boolean => file.endsWith('.toml');
const getMarks = ({ file }: SetupPart): BlockMarks => (isToml(file) ? tomlMarks : markdownMarks);
const getBlockBody = ({ file }: SetupPart): string => (isToml(file) ? codexTable : agentText);
const getKeyPath = ({ path = [] }: SetupPart): string => path.filter((key) => key !== '[]').join('.');
const createMarkerTest =
  ({ marker = '' }: SetupPart): ((value: string) => boolean) =>
  (value) =>
    value.includes(marker);

/** True if the user wrote the table without our marks; it is kept. */
const isManualTable = (part: SetupPart, text: string): boolean =>
  isToml(part.file) && findBlock(text, getMarks(part)) === undefined && hasTable(text);

/** Only one status line is possible, so an existing one of the user is kept. */
const checkForeignStatusLine = ({ file, marker = '', path = [], kind }: SetupPart, text: string): PartEdit =>
  kind === 'statusline' && !findJson(text, path)?.includes(marker) ? { warning: `${file} already has a statusLine, which is kept` } : {};

function findSyntaxProblem(part: SetupPart, text: string): string | undefined {
  if (part.content !== undefined) return undefined;
  if (part.path) {
    const parsed = parseJsonc(text);
    return 'problem' in parsed ? `is not JSON: line ${parsed.line}: ${parsed.problem}` : undefined;
  }
  if (findBlock(text, getMarks(part)) === 'broken') return 'has an unpaired mark of cleo';
  if (!isToml(part.file)) return undefined;
  try {
    parseToml(stripBom(text));
    return undefined;
  } catch (error) {
    return `is not TOML: ${(error as Error).message.split('\n')[0]}`;
  }
}

const hasTable = (text: string): boolean => readTable(text) !== undefined;

/** The table of the server in Codex's file. */
function readTable(text: string): unknown {
  try {
    const { mcp_servers: servers } = parseToml(stripBom(text));
    return isPlainObject(servers) ? servers.cleo : undefined;
  } catch {
    return undefined;
  }
}
