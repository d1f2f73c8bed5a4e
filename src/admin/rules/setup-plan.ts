import { parse as parseToml } from 'smol-toml';
import { findJson, insertJson, parseJsonc, removeJson, removeOnce } from '#lib/jsonc.ts';
import { type BlockMarks, findBlock, markdownMarks, putBlock, removeBlock, tomlMarks } from '#lib/marked-block.ts';
import { stripBom } from '#lib/parse-json.ts';
import { agentText, type Client, clients, codexTable, type Piece } from './setup-clients.ts';

/** What set-up wrote into a file, kept so that taking it out leaves the file as it was. */
export interface Written {
  /** The file was not there before. */
  created?: true;
  /** Nor were this many of the folders it lies in. */
  folders?: number;
  /** The very characters, by the keys of the value. */
  inserted?: Record<string, string>;
}

/** The files of a project as they are; undefined for one that is not there. */
export type Texts = (file: string) => string | undefined;
/** What set-up wrote before. */
export type Known = (file: string) => Written | undefined;

export interface Edit {
  file: string;
  /** Undefined: the file goes. */
  text: string | undefined;
  /** What is put in. */
  adds?: string;
  written?: Written;
}

/** Why a file is left as it is. */
export interface Refusal {
  file: string;
  problem: string;
}

export interface Plan {
  edits: Edit[];
  refusals: Refusal[];
  /** What was not done, and need not be. */
  remarks: string[];
}

/** What has to be written so that a client knows us: nothing where it does. */
export function planSetup(client: Client, texts: Texts, known: Known, wants: Set<Piece['what']>): Plan {
  const ours = piecesIn(client, texts);
  const plan = planned(client, placed(client, texts), texts, (piece, text) => {
    if (!wants.has(piece.what)) return {};
    if (piece.whole !== undefined) return wholeFile(piece, texts(piece.file), known);
    if (!piece.path) return isByHand(piece, text) ? {} : { text: putBlock(text, bodyOf(piece), marksOf(piece)) };
    if (findJson(text, piece.path, piece.path.at(-1) === '[]' ? oursBy(piece) : undefined) !== undefined) return foreignRemark(piece, text);
    const done = insertJson(text, piece.path, piece.value);
    return done ?? { problem: `has something else than an object or a list at ${nameOf(piece)}` };
  });
  for (const edit of plan.edits) {
    const before = known(edit.file);
    const inserted = { ...before?.inserted, ...edit.written?.inserted };
    // A file of ours that somebody deleted and made anew is theirs.
    const isWhole = client.pieces.some(({ file, whole }) => file === edit.file && whole !== undefined);
    const isCreated = isWhole || texts(edit.file) === undefined || (before?.created && ours.some(({ file }) => file === edit.file));
    edit.written = {
      ...(isCreated ? { created: true } : {}),
      ...(isCreated && before?.folders ? { folders: before.folders } : {}),
      ...(Object.keys(inserted).length > 0 ? { inserted } : {}),
    };
  }
  return plan;
}

/** What has to be taken out so that a client no longer knows us. A block that another client reads too stays for it. */
export function planRemoval(client: Client, texts: Texts, known: Known): Plan {
  const pieces = placed(client, texts).toReversed();
  // It may have been the other one when it was written.
  if (client.name === 'claude') pieces.push(...['CLAUDE.md', 'AGENTS.md'].map((file) => ({ file, what: 'text' as const })));
  const plan = planned(client, pieces, texts, (piece, text) => {
    if (texts(piece.file) === undefined) return {};
    if (piece.whole !== undefined)
      return isOurs(piece, text, known) ? { text: '' } : known(piece.file) ? { remark: `${piece.file} was changed, and stays` } : {};
    if (!piece.path) return isShared(client, piece, texts) ? {} : { text: removeBlock(text, marksOf(piece)) };
    const inserted = known(piece.file)?.inserted?.[nameOf(piece)];
    const exact = inserted === undefined ? undefined : removeOnce(text, inserted);
    return { text: exact !== undefined && 'value' in parseJsonc(exact) ? exact : removeJson(text, piece.path, oursBy(piece)) };
  });
  for (const edit of plan.edits) {
    delete edit.written;
    delete edit.adds;
    if (known(edit.file)?.created && edit.text === seedOf(client, edit.file)) edit.text = undefined;
  }
  return plan;
}

/** The parts that a client has of us. */
export const setUpParts = (client: Client, texts: Texts): Set<Piece['what']> => new Set(piecesIn(client, texts).map(({ what }) => what));

const piecesIn = (client: Client, texts: Texts): Piece[] =>
  placed(client, texts).filter((piece) => {
    const text = texts(piece.file);
    if (text === undefined) return false;
    if (piece.whole !== undefined) return text === piece.whole;
    if (piece.path) return findJson(text, piece.path, oursBy(piece)) !== undefined;
    return piece.what === 'mcp' ? hasTable(text) : typeof findBlock(text, marksOf(piece)) === 'object';
  });

/** A file that is ours as a whole is made, and brought up to date as long as nobody else changed it. */
function wholeFile(piece: Piece, text: string | undefined, known: Known): Step {
  if (text === piece.whole) return {};
  if (text !== undefined && !isOurs(piece, text, known)) return { remark: `${piece.file} is not as cleo wrote it, and stays` };
  return { text: piece.whole!, inserted: piece.whole! };
}

const isOurs = (piece: Piece, text: string, known: Known): boolean => {
  const written = known(piece.file);
  return written?.created === true && text === written.inserted?.[nameOf(piece)];
};

interface Step {
  text?: string;
  inserted?: string;
  problem?: string;
  remark?: string;
}

function planned(client: Client, pieces: Piece[], texts: Texts, step: (piece: Piece, text: string) => Step): Plan {
  const plan: Plan = { edits: [], refusals: [], remarks: [] };
  const edits = new Map<string, { text: string; inserted: Record<string, string> }>();
  for (const piece of pieces) {
    const { file } = piece;
    if (plan.refusals.some((refusal) => refusal.file === file)) continue;
    const text = edits.get(file)?.text ?? texts(file) ?? seedOf(client, file);
    const problem = problemOf(piece, text);
    const done = problem === undefined ? step(piece, text) : { problem };
    if (done.remark) plan.remarks.push(done.remark);
    const refused = done.problem ?? (done.text === undefined ? undefined : problemOf(piece, done.text));
    if (refused !== undefined) plan.refusals.push({ file, problem: refused });
    else if (done.text !== undefined && done.text !== text)
      edits.set(file, {
        text: done.text,
        inserted: { ...edits.get(file)?.inserted, ...(done.inserted === undefined ? {} : { [nameOf(piece)]: done.inserted }) },
      });
  }
  for (const [file, { text, inserted }] of edits) plan.edits.push({ file, text, adds: addsOf(texts(file), text), written: { inserted } });
  return plan;
}

/** What is new in a text in which something was put. */
function addsOf(before: string | undefined, after: string): string {
  if (before === undefined) return after;
  let start = 0;
  while (start < before.length && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < before.length - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  return after.slice(start, after.length - end);
}

/** The pieces, each in the file that this project has for it. */
function placed(client: Client, texts: Texts): Piece[] {
  return client.pieces.map((piece) => {
    if (piece.what === 'text' && client.name === 'claude') return { ...piece, file: claudeFile(texts) };
    if (client.name !== 'opencode' || piece.what !== 'mcp') return piece;
    const file = texts('opencode.json') === undefined && texts('opencode.jsonc') !== undefined ? 'opencode.jsonc' : piece.file;
    const isNested = findJson(texts(file) ?? '', ['mcp', 'servers'])?.startsWith('{');
    return { ...piece, file, path: isNested ? ['mcp', 'servers', 'cleo'] : piece.path! };
  });
}

/** Claude Code reads AGENTS.md only where there is no CLAUDE.md, or where that imports it: a new CLAUDE.md would hide it. */
function claudeFile(texts: Texts): string {
  const own = texts('CLAUDE.md');
  const hasOther = texts('AGENTS.md') !== undefined;
  return hasOther && (own === undefined || /^@(?:\.\/)?AGENTS\.md\s*$/m.test(own)) ? 'AGENTS.md' : 'CLAUDE.md';
}

function isShared(client: Client, { file }: Piece, texts: Texts): boolean {
  const others = clients.filter(({ name }) => name !== client.name);
  return others.some(
    (other) => placed(other, texts).some((piece) => piece.what === 'text' && piece.file === file) && setUpParts(other, texts).has('mcp'),
  );
}

const seedOf = ({ seeds }: Client, file: string): string => seeds?.[file] ?? (file.endsWith('.json') ? '{}\n' : '');

const isToml = (file: string): boolean => file.endsWith('.toml');
const marksOf = ({ file }: Piece): BlockMarks => (isToml(file) ? tomlMarks : markdownMarks);
const bodyOf = ({ file }: Piece): string => (isToml(file) ? codexTable : agentText);
const nameOf = ({ path = [] }: Piece): string => path.filter((key) => key !== '[]').join('.');
const oursBy =
  ({ sign = '' }: Piece): ((value: string) => boolean) =>
  (value) =>
    value.includes(sign);

/** A table for us that somebody wrote without our marks stays as it is. */
const isByHand = (piece: Piece, text: string): boolean =>
  isToml(piece.file) && findBlock(text, marksOf(piece)) === undefined && hasTable(text);

/** There can be one status line only, and the one that is there is the user's. */
const foreignRemark = ({ file, sign = '', path = [], what }: Piece, text: string): Step =>
  what === 'statusline' && !findJson(text, path)?.includes(sign) ? { remark: `${file} has a statusLine of its own, which stays` } : {};

function problemOf({ file, path, whole }: Piece, text: string): string | undefined {
  if (whole !== undefined) return undefined;
  if (path) {
    const parsed = parseJsonc(text);
    return 'problem' in parsed ? `is not JSON: line ${parsed.line}: ${parsed.problem}` : undefined;
  }
  if (findBlock(text, isToml(file) ? tomlMarks : markdownMarks) === 'broken') return 'has a mark of cleo without its other half';
  if (!isToml(file)) return undefined;
  try {
    parseToml(stripBom(text));
    return undefined;
  } catch (error) {
    return `is not TOML: ${(error as Error).message.split('\n')[0]}`;
  }
}

function hasTable(text: string): boolean {
  try {
    const { mcp_servers: servers } = parseToml(stripBom(text));
    return typeof servers === 'object' && 'cleo' in servers;
  } catch {
    return false;
  }
}
