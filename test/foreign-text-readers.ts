import { parseHeads, parseSigner } from '../src/admin/rules/audit-heads.ts';
import { addLaterPatterns } from '../src/admin/rules/local-files.ts';
import { findPassword, parsePostgresAddress } from '../src/core/rules/postgres-address.ts';
import { findService } from '../src/core/rules/postgres-defaults.ts';
import { toQueryWords } from '../src/core/rules/rank.ts';
import { normalizeWord } from '../src/core/rules/words.ts';
import { findTitle, toDocSlug } from '../src/documents/rules/doc-name.ts';
import { parseGrades } from '../src/grade/rules/grade-history.ts';
import { scoreBm25 } from '../src/lib/bm25.ts';
import { clipText } from '../src/lib/budget.ts';
import { sha256, toCanonicalJson } from '../src/lib/digest.ts';
import { escapeMarkup, escapeXmlAttribute } from '../src/lib/escape-markup.ts';
import { createGlobMatcher, expandBraces, getGlobBase } from '../src/lib/glob.ts';
import { formatHookOutput } from '../src/lib/hook-output.ts';
import { escapeInvisible, escapeInvisibleInJson, hasHiddenText } from '../src/lib/invisible.ts';
import { findJson, findJsonProblem, insertJson, parseJsonc, removeJson, removeOnce, replaceJsonStrings } from '../src/lib/jsonc.ts';
import { checkJsonLines } from '../src/lib/jsonl.ts';
import { findBlock, putBlock, removeBlock } from '../src/lib/marked-block.ts';
import { checkJson, parseJson, stripBom } from '../src/lib/parse-json.ts';
import { normalizePath } from '../src/lib/path-overlap.ts';
import { isPassword, isPathOrMessage, looksSecret, redactParams, redactText } from '../src/lib/redact.ts';
import { createRedactor } from '../src/lib/redactor.ts';
import { redactOutput, redactPlaces, redactWrapped } from '../src/lib/secret-places.ts';
import { mayBeEscaped } from '../src/lib/secret-spelling.ts';
import { matchesAnyShape, mayContainSecret } from '../src/lib/secrets.ts';
import { parseShellWords } from '../src/lib/shell-words.ts';
import { slugify } from '../src/lib/slug.ts';
import { joinTerms, toTerms } from '../src/lib/terms.ts';
import { estimateAnswerTokens, estimateTokens } from '../src/lib/tokens.ts';
import { parseFrontMatter } from '../src/lib/yaml/front-matter.ts';
import { parseYaml, parseYamlDocument } from '../src/lib/yaml/parse-yaml.ts';
import { findCitations } from '../src/memory/rules/find-citations.ts';
import { parseDecisions } from '../src/memory/rules/memory-adr.ts';
import { deriveTitle } from '../src/memory/rules/memory-view.ts';
import { parseNexusQuery, parseRemoteId } from '../src/nexus/rules/nexus-query.ts';
import { parseRegistry } from '../src/nexus/rules/nexus-registry.ts';
import { findReferences, toCodeBlock, toCodeSpan } from '../src/orchestration/rules/resolve-template.ts';
import { isProvenance } from '../src/planning/rules/lifecycle.ts';
import { replaceVersion } from '../src/release/rules/version-files.ts';
import { parseManifest } from '../src/research/rules/manifest.ts';
import { parseOutput } from '../src/research/rules/output-file.ts';
import { renderProtocolSection } from '../src/research/rules/protocol-text.ts';
import { createYamlReader } from '../src/runs/rules/construct/read.ts';
import { normalizeDocument, splitFrontMatter, toHeadingWords } from '../src/runs/rules/document/completeness.ts';
import { readDocSchema } from '../src/runs/rules/document/read-schema.ts';
import { countWords } from '../src/runs/rules/document/units.ts';
import { parseVerdict } from '../src/runs/rules/judge.ts';
import { parseReviews } from '../src/runs/rules/review-state.ts';
import { takeLastLines } from '../src/runs/rules/run-attempts.ts';
import { parseClaim, parseSkillEvent } from '../src/runs/rules/skill-contract.ts';
import { parseStopRequest } from '../src/runs/rules/stop-request.ts';
import { parseEvents, parseTrace } from '../src/runs/rules/trace.ts';
import { findHashes } from '../src/runs/rules/trace-prune.ts';
import { parseRunRecord } from '../src/runs/rules/trace-runs.ts';
import { parseSignerKey, parseStatement } from '../src/sessions/rules/proof-statement.ts';
import { parseSkillCatalog } from '../src/skills/rules/parse-skill.ts';
import { parseAssignee } from '../src/tasks/rules/assignee.ts';
import { parseDue } from '../src/tasks/rules/due.ts';
import { parseScope } from '../src/tasks/rules/scope.ts';
import { isWaitText } from '../src/tasks/rules/wait-text.ts';
import { readBacklog, readBacklogFrontMatter } from '../src/transfer/rules/backlog.ts';
import { readBeads } from '../src/transfer/rules/beads.ts';
import { detectTool } from '../src/transfer/rules/detect-tool.ts';
import { hashContent } from '../src/transfer/rules/duplicates.ts';
import { flattenText, parseUid } from '../src/transfer/rules/export/context.ts';
import { addAttributes, addHook, removeAttributes, removeHook } from '../src/transfer/rules/git-hooks.ts';
import { readGithub } from '../src/transfer/rules/github.ts';
import { parseImportMarker, parseIssueText } from '../src/transfer/rules/github-body.ts';
import { removeImportedFields, updateIssueBody } from '../src/transfer/rules/github-sync/issue-body.ts';
import { parseComment, parseIssueMarker, removeIssueMarker } from '../src/transfer/rules/github-sync/markers.ts';
import { parseList } from '../src/transfer/rules/github-sync/snapshot.ts';
import { normalizeTask } from '../src/transfer/rules/normalize-task.ts';
import { findConflictMarker, splitConflict } from '../src/transfer/rules/plan/conflict.ts';
import { resolveConflict } from '../src/transfer/rules/plan/merge-files.ts';
import { parsePlanFile } from '../src/transfer/rules/plan/parse.ts';
import { normalizeText, parseRecords, toTaskLabel } from '../src/transfer/rules/source-values.ts';
import { readTaskmaster } from '../src/transfer/rules/taskmaster.ts';
import { readTaskwarrior } from '../src/transfer/rules/taskwarrior.ts';
import { readTodoTxt } from '../src/transfer/rules/todo-txt.ts';
import { decodeValue, encodeValue } from '../src/transfer/rules/todo-words.ts';
import { isResolutionWord, parseCloseReason, parseForeignState, parseForeignType } from '../src/transfer/rules/vocabulary.ts';
import { parseEvidence, splitPaths } from '../src/verification/rules/evidence.ts';
import { readTestReport } from '../src/verification/rules/test-report.ts';
import { parseDuration } from '../src/work/rules/budget.ts';
import { parseWorkItem, parseWorkProcess, parseWorkStop } from '../src/work/rules/stored-work.ts';

const redactor = createRedactor({ secrets: ['a-secret/value+x"'], patterns: [], allow: [], mac: () => '0'.repeat(8) });
const marks = { begin: '<!-- begin -->', end: '<!-- end -->' };
const hide = (): string => '[redacted]';
const foreign = { id: 'a', status: 'pending' as const, depends: [], labels: [], notes: [], acceptance: [] };
const asFile = (name: string, text: string) => [{ name, text }];

/** Redacts a text that arrives in pieces of a few characters. */
export function redactStream(text: string): void {
  const stream = redactor.stream();
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += 7) stream.push(bytes.subarray(at, at + 7));
  stream.end();
}

/** The functions that read text of other people and tools, by the name they are exported under. Each receives a hostile text, where
 *  it matters also inside the format it reads. */
export const readers: Record<string, (text: string) => unknown> = {
  parseHeads,
  parseSigner,
  parsePostgresAddress,
  findService: (text) => findService(`[a]\n${text}`, 'a'),
  findPassword: (text) => findPassword(text, { host: 'a', port: 1, database: 'a', user: 'a' }),
  formatHookOutput: (text) => formatHookOutput(text, 'gemini', {}),
  escapeInvisible,
  escapeInvisibleInJson,
  hasHiddenText,
  parseStatement,
  parseSignerKey,
  redactText: (text) => redactText(text),
  looksSecret: (text) => looksSecret(text, true, false),
  isPassword: (text) => isPassword(text, true, false),
  isPathOrMessage,
  redactParams: (text) => redactParams([text.slice(0, 999), text]),
  redactOutput,
  redactPlaces: (text) => redactPlaces(text, hide),
  redactWrapped: (text) => redactWrapped(text, hide),
  'Redactor.text': (text) => redactor.text(text),
  'Redactor.value': (text) => redactor.value({ [text.slice(0, 300)]: text }),
  mayBeEscaped,
  matchesAnyShape,
  mayContainSecret,
  scoreBm25: (text) => scoreBm25(text.slice(0, 1000), [text]),
  clipText: (text) => clipText(text, 1000),
  toCanonicalJson: (text) => toCanonicalJson({ [text]: [text] }),
  escapeMarkup,
  escapeXmlAttribute,
  parseFrontMatter: (text) => parseFrontMatter(`---\nname: ${text}\n---\n${text}`),
  createGlobMatcher: (text) => createGlobMatcher('**/a*b*[ab]?.{ts,js}')(text),
  expandBraces: (text) => expandBraces(text.slice(0, 1000)),
  getGlobBase,
  findJson: (text) => findJson(text, ['a', 'b']),
  findJsonProblem,
  insertJson: (text) => insertJson(text, ['a', 'b'], 1),
  parseJsonc,
  removeJson: (text) => removeJson(text, ['a', 'b']),
  removeOnce: (text) => removeOnce(text, 'needle'),
  replaceJsonStrings: (text) => replaceJsonStrings(text, [['a']], 'x'),
  checkJsonLines,
  findBlock: (text) => findBlock(text, marks),
  putBlock: (text) => putBlock(text, 'body', marks),
  removeBlock: (text) => removeBlock(text, marks),
  addHook: (text) => addHook(text, 'pre-commit'),
  removeHook: (text) => removeHook(text),
  addAttributes: (text) => addAttributes(text),
  removeAttributes,
  findConflictMarker,
  splitConflict,
  resolveConflict,
  parsePlanFile,
  checkJson,
  hashContent,
  parseJson,
  parseStopRequest: (text) => parseStopRequest(text, { pid: 1, began: '' }),
  takeLastLines: (text) => takeLastLines(text, 10),
  stripBom,
  normalizePath,
  sha256: (text) => sha256(text.toWellFormed()),
  parseShellWords,
  slugify: (text) => slugify(text, { maxLength: 50 }),
  toTerms,
  joinTerms,
  estimateTokens,
  estimateAnswerTokens,
  normalizeWord,
  toQueryWords,
  findTitle,
  toDocSlug,
  findCitations,
  parseDecisions: (text) => parseDecisions('0001-x.md', text),
  deriveTitle,
  parseNexusQuery,
  parseRemoteId,
  parseRegistry,
  findReferences,
  toCodeBlock,
  toCodeSpan,
  isProvenance,
  replaceVersion: (text) => [replaceVersion('package.json', text, '1.2.3'), replaceVersion('pyproject.toml', text, '1.2.3')],
  parseGrades,
  parseManifest,
  parseOutput,
  renderProtocolSection: (text) => renderProtocolSection(text, 'rules' as never, []),
  parseYaml: (text) => parseYaml(text, { uniqueKeys: false, logLevel: 'silent' }),
  parseYamlDocument: (text) => parseYamlDocument(text, { uniqueKeys: false }),
  createYamlReader: (text) => createYamlReader(text.slice(0, 1 << 20)),
  normalizeDocument,
  splitFrontMatter,
  toHeadingWords,
  readDocSchema: (text) => readDocSchema('x.doc.yaml', text),
  countWords,
  parseVerdict,
  parseReviews,
  parseClaim: (text) => parseClaim(text),
  parseSkillEvent: (text) => parseSkillEvent(text),
  findHashes,
  parseEvents,
  parseTrace: (text) => parseTrace(text, () => ''),
  parseRunRecord,
  parseSkillCatalog,
  parseScope,
  isWaitText,
  addLaterPatterns,
  parseAssignee: (text) => parseAssignee(text, 'ada'),
  parseDue: (text) => parseDue(text, '2026-01-01T00:00:00.000Z'),
  readBacklog: (text) =>
    readBacklog(asFile('backlog/tasks/task-1 - a.md', `---\nid: task-1\ntitle: a\nstatus: To Do\n---\n${text}\n## a${text}b\n`)),
  readBacklogFrontMatter,
  readBeads: (text) =>
    readBeads(
      asFile(
        'issues.jsonl',
        `${JSON.stringify({ id: 'a', title: text, status: 'open', issue_type: 'task', description: text, notes: text })}\n`,
      ),
    ),
  detectTool: (text) => detectTool(asFile('a', text)),
  parseIssueText: (text) => parseIssueText(text, 'a/b', true),
  parseImportMarker,
  removeImportedFields,
  updateIssueBody: (text) => [
    updateIssueBody(text, { description: '', acceptance: [] }, { description: text, acceptance: [{ text, met: true }] }),
    updateIssueBody(text, { description: '', acceptance: [] }, { description: '', acceptance: [] }),
  ],
  parseComment,
  parseIssueMarker,
  removeIssueMarker,
  parseList: (text) => [parseList(text), parseList(JSON.stringify([{ body: text }]))],
  readGithub: (text) =>
    readGithub(
      asFile('a.json', JSON.stringify([{ number: 1, title: text, state: 'open', body: text, labels: [text], comments: [{ body: text }] }])),
    ),
  normalizeTask: (text) =>
    normalizeTask('x', { ...foreign, title: text, description: text, labels: [text], notes: [{ text, by: text }], createdBy: text }, []),
  normalizeText,
  parseRecords: (text) => [...parseRecords({ name: 'a', text }, [])],
  parseCloseReason,
  parseForeignState,
  isResolutionWord,
  flattenText,
  parseUid,
  encodeValue,
  decodeValue,
  parseForeignType,
  toTaskLabel,
  readTaskmaster: (text) =>
    readTaskmaster(
      asFile(
        'tasks.json',
        JSON.stringify({ tasks: [{ id: 1, title: text, description: text, details: text, status: 'pending', testStrategy: text }] }),
      ),
    ),
  readTaskwarrior: (text) =>
    readTaskwarrior(
      asFile(
        'a.json',
        JSON.stringify([{ uuid: 'a', description: text, status: 'pending', tags: [text], annotations: [{ description: text }] }]),
      ),
    ),
  readTodoTxt: (text) => readTodoTxt(asFile('todo.txt', text)),
  parseEvidence,
  splitPaths,
  readTestReport,
  parseDuration,
  parseWorkItem,
  parseWorkProcess,
  parseWorkStop,
};

/** Functions that the search below finds but that read no foreign text of unlimited length, each with the reason. */
export const exempt: Record<string, string> = {
  isShortLine: 'looks at 300 characters',
  matchFirst: 'its patterns are those of the detectors, which read manifests of at most 1 MiB',
  getBaseName: 'a path of at most 1000 characters',
  insertSection: 'the changelog of the project itself',
  changeLinks: 'lines that parseManifest has read',
  dropEntries: 'lines that parseManifest has read',
  parsePeriod: 'a parameter of at most 100 characters',
  shortenName: 'cuts to 80 characters',
  parseAgo: 'a parameter of at most 100 characters',
  isSafePathSegment: 'one character class',
  parseBlocks: 'the lexer of marked is quadratic for `a_a_…` and `> > …`: 16 KB take 0.4 s',
  measureCompleteness: 'calls parseBlocks',
  findBeginnings: 'reads the patterns of secrets, which are our own',
  createImportError: 'formats a message',
  streamBacklog: 'measured by readBacklog',
  streamBeads: 'measured by readBeads',
  streamGithub: 'measured by readGithub',
  streamTaskmaster: 'measured by readTaskmaster',
  streamTaskwarrior: 'measured by readTaskwarrior',
  streamTodoTxt: 'measured by readTodoTxt',
  parseBase: 'a text that an import has written',
  toPersonName: 'looks at 1000 characters',
  splitRecords: 'measured by parseRecords',
  readSideText: 'joins the pieces of a file',
  hashText: 'one pass over the characters',
  parseDate: 'measured by parseTime',
};
