// `npm run language`: measures how plainly the repository is written. `--list` also prints every comment, name and sentence that
// counts against it. test/language.test.ts checks the limits.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Words and phrases that have a plainer equivalent. */
const markers = [
  // "is no JSON" for "is not JSON"
  /\b(?:is|are|was|were|be) no (?!longer|more|need|way|such|different|harm|other|effect)\w+/i,
  /\b(?:that|it|which|there) (?:is|are) none\b|\bof none\b/i,
  // "stands in the file" for "is in the file"
  /\bstands?\b(?! (?:alone|for|out|by|in for))/i,
  // "is told" for "is reported" or "receives"
  /\b(?:told|tells?)\b/i,
  /\b(?:whoever|whatever|whichever)\b/i,
  /\b(?:nobody|somebody|anybody)(?:'s)?\b/i,
  // for "next to"
  /\bbeside\b/i,
  // for "continue" or "resume"
  /\b(?:goes|go|gone|went|going) on\b/i,
  /\bhands? on\b|\banew\b|\bmeanwhile\b|\bbe it\b/i,
];
const hasMarker = (text) => markers.some((marker) => marker.test(text));

/** A comment with such a beginning does not name its subject. */
const lacksSubject = (comment) => /^(?:What|Who|Whoever|That|Of|How|Whether|Where)\b/.test(comment);

const verbs = new Set(
  `accept acquire add admit allow answer append apply archive as ask assert assign attach attribute authenticate await backup begin
  bind break build bump call cancel can capture change check choose claim classify clean clear clone close collect combine commit
  compare compile complete compute connect consume contains convert copy count create cut deal decide decode decrement define delete
  deny derive describe detect diff digest dispatch drain draw drop dump emit enable encode end ensure enter equals escape estimate
  evaluate exclude execute exists expand expire explain export extend extract fail fetch fill filter find finish fit flatten flush
  fold follow forget fork format from gather generate get grade group guard guess handle has hash hide ignore import include
  increment index infer init insert inspect install interpolate into invalidate invoke is iterate join judge keep kill label layout
  lex limit link list listen load lock log look make map mark match measure merge migrate mount move name narrow needs new normalize
  note notify number observe on open order pack pad parse partition pass patch path peek pick ping pipe place plan play poll pop
  prefix prepare present print process project propose prune publish pull push put query quote raise rank reach read rebuild recall
  receive recommend record recover redact reduce refuse register reject relate release reload remove rename render reopen repair
  repeat replace replay report request require reserve reset resolve respond restore resume retry return reverse review revoke
  rewrite roll rotate round run sample sanitize save scan schedule score search select send serialize serve set settle should show
  shut sign skip slice slugify snapshot sort spawn split start step stop store strip style subscribe suggest sum summarize supersede
  suspend swap switch sync tag take test throw tick to toggle tokenize touch trace track transform translate traverse trim truncate
  try unbind unlink unlock unquote unregister unwrap update upgrade upsert use validate verify visit wait walk warn watch with
  withdraw wrap write yield`.split(/\s+/),
);
const beginsWithVerb = (name) => verbs.has(/^[a-z]+/.exec(name)?.[0]);
const isNamedOf = (name) => /[a-z]Of$|Of[A-Z]|[a-z]In$/.test(name);
const isParticiple = (name) =>
  /^(?:[a-z]+ed|gone|told|kept|held|found|known|seen|shown|taken|given|written|begun|said|made|sent|left|lost|bound|chosen|drawn|broken|meant|thrown|grown|met|led)(?:[A-Z]\w*)?$/.test(
    name,
  );

/** Measures the repository. Each figure lists the items that it counts, their total, and its limit in percent. */
export function measureLanguage() {
  const sources = [...listFiles('src'), ...listFiles('web')]
    .filter((file) => /\.tsx?$/.test(file) && !/\.(?:test|generated|d)\.tsx?$/.test(file))
    .map((file) => ({ file, text: read(file) }));
  const docs = [...listFiles('.', false), ...listFiles('docs/guide'), ...listFiles('docs/adr')]
    .filter((file) => /^(?:README|ARCHITECTURE|CONTRIBUTING|SECURITY)\.md$|^docs\/.*\.md$/.test(file))
    .map((file) => ({ file, text: read(file) }));

  const comments = collect(sources, findComments);
  const functions = collect(sources, findFunctions);
  const messages = collect(sources, findMessages);
  const sentences = collect(docs, findSentences);
  const exports = listExports(sources);

  return [
    { name: 'comments with a marker', max: 3, ...pick(comments, hasMarker) },
    { name: 'comments without a subject', max: 3, ...pick(comments, lacksSubject) },
    { name: 'functions that begin with a verb', min: 60, ...pick(functions, beginsWithVerb) },
    { name: 'functions named xOf or xIn', max: 5, ...pick(functions, isNamedOf) },
    { name: 'functions named by a participle', max: 2, ...pick(functions, isParticiple) },
    {
      name: 'exported names in several files',
      max: 1.5,
      found: exports.filter(({ files }) => files.length > 1).map(({ name, files }) => ({ file: files.join(', '), text: name })),
      total: exports.length,
    },
    { name: 'messages and descriptions with a marker', max: 3, ...pick(messages, hasMarker) },
    { name: 'sentences of the docs with a marker', max: 3, ...pick(sentences, hasMarker) },
  ];
}

export const toPercent = ({ found, total }) => (100 * found.length) / Math.max(1, total);

/** Measures the last 200 commits. A checkout without history has none. */
function measureCommits() {
  let subjects = [];
  try {
    subjects = execFileSync('git', ['log', '-200', '--no-merges', '--format=%s'], { cwd: root, encoding: 'utf8' })
      .split('\n')
      .filter(Boolean);
  } catch {}
  const commits = subjects.map((text) => ({ file: 'git', text }));
  return { name: 'commits longer than 72 characters', max: 5, ...pick(commits, (subject) => subject.length > 72) };
}

function listFiles(folder, isRecursive = true) {
  try {
    return readdirSync(join(root, folder), { withFileTypes: true, recursive: isRecursive })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
      .sort();
  } catch {
    return [];
  }
}

const read = (file) => readFileSync(join(root, file), 'utf8');
const collect = (files, find) => files.flatMap(({ file, text }) => find(text).map((item) => ({ file, text: item })));
const pick = (items, matches) => ({ found: items.filter(({ text }) => matches(text)), total: items.length });

function findComments(source) {
  return [...source.matchAll(/\/\*\*?([\s\S]*?)\*\/|(?<![:"'`/\\])\/\/(?!\/)\s?([^\n]*)/g)]
    .map(([, block, line]) =>
      (block ?? line)
        .replace(/\n\s*\*/g, ' ')
        .replace(/\s+/g, ' ')
        .trim(),
    )
    .filter((comment) => comment.length > 12 && !/biome-|@ts-/.test(comment));
}

/** Finds functions and top-level arrow functions. */
function findFunctions(source) {
  return [
    ...source.matchAll(/(?:^|\s)(?:async )?function\*? (\w+)/g),
    ...source.matchAll(/^(?:export )?const (\w+)(?::[^=\n]+)? = (?:async )?(?:<[^>]*>)?\([^)]*\)(?:: [^=]+)? =>/gm),
  ].map(([, name]) => name);
}

/** Finds string literals of at least four words: messages, summaries and descriptions. SQL is left out. */
function findMessages(source) {
  const literal = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\[\s\S])*)`/g;
  return [...source.matchAll(literal)]
    .map(([, single, double, template]) =>
      (single ?? double ?? template ?? '')
        .replace(/\$\{[^}]*\}/g, 'x')
        .replace(/\s+/g, ' ')
        .trim(),
    )
    .filter((text) => text.split(' ').filter((word) => /^[A-Za-z]/.test(word)).length >= 4)
    .filter((text) => !/\b(?:select|insert into|update|delete from|create (?:table|index)|where|join|order by)\b .*[=(,]/i.test(text));
}

function findSentences(markdown) {
  return markdown
    .replace(/```[\s\S]*?```/g, '')
    .replaceAll('|', '\n')
    .split(/(?<=[.:;])\s+|\n\n/)
    .map((sentence) => sentence.replace(/\s+/g, ' ').trim())
    .filter((sentence) => sentence.split(' ').length > 4);
}

/** Lists the exported names with the files that define them. A schema and its type may share a name within one file. */
function listExports(sources) {
  const files = new Map();
  for (const { file, text } of sources)
    for (const [, name] of text.matchAll(/^export (?:async )?(?:function\*?|const|class|interface|type) (\w+)/gm))
      files.set(name, new Set([...(files.get(name) ?? []), file]));
  return [...files].map(([name, defining]) => ({ name, files: [...defining] }));
}

function print(figures, isListed) {
  for (const { name, max, min, ...figure } of figures) {
    const target = min === undefined ? `< ${max} %` : `> ${min} %`;
    console.log(`${name.padEnd(44)}${toPercent(figure).toFixed(1).padStart(6)} %  of ${String(figure.total).padEnd(6)} target ${target}`);
  }
  if (!isListed) return;
  for (const { name, found } of figures.filter(({ min }) => min === undefined)) {
    console.log(`\n## ${name}`);
    for (const { file, text } of found) console.log(`${file}: ${text}`);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) print([...measureLanguage(), measureCommits()], process.argv.includes('--list'));
