import {
  Document,
  type DocumentOptions,
  Lexer,
  LineCounter,
  type ParseOptions,
  Parser,
  parseDocument,
  type SchemaOptions,
  type ToJSOptions,
  YAMLParseError,
} from 'yaml';

type YamlOptions = Omit<ParseOptions, 'prettyErrors'> & DocumentOptions & SchemaOptions;

/** The parser calls itself for each level. Node 20 can abort when it compiles a pattern at the end of the stack, which cannot be caught. */
const maxDepth = 100;

/** Parses YAML. Every reader of YAML uses this function, because it checks the depth before anything recursive reads the text. A value
 *  that is nested too deeply is an error of the document. */
export function parseYamlDocument(yaml: string, options: YamlOptions = {}): Document.Parsed {
  const offset = findDeepNesting(yaml);
  // The messages with an excerpt take quadratic time if one long line has many errors.
  if (offset === undefined) return parseDocument(yaml, { ...options, prettyErrors: false });
  const document = new Document(null, options);
  document.errors.push(
    new YAMLParseError([offset, offset + 1], 'UNEXPECTED_TOKEN', `is nested too deeply: it has more than ${maxDepth} levels`),
  );
  return document as Document.Parsed;
}

/** Parses YAML to plain values. Throws if the text is not valid. */
export function parseYaml(yaml: string, options: YamlOptions & ToJSOptions = {}): unknown {
  const lines = new LineCounter();
  const document = parseYamlDocument(yaml, { ...options, lineCounter: lines });
  const [error] = document.errors;
  if (!error) return document.toJS(options);
  const { line, col } = lines.linePos(error.pos[0]);
  // A text that is nested too deeply has not been parsed, so its lines have not been counted.
  if (line > 0) error.message += ` at line ${line}, column ${col}`;
  throw error;
}

/** Finds the first token below `maxDepth` levels. The lexer and the first stage of the parser do not call themselves. */
function findDeepNesting(yaml: string): number | undefined {
  if (!canBeDeep(yaml)) return undefined;
  const parser = new Parser();
  for (const lexeme of new Lexer().lex(yaml)) {
    for (const _ of parser.next(lexeme));
    if (parser.stack.length > maxDepth) return parser.offset;
  }
  return undefined;
}

/** Each level begins with one of these characters, so that most texts need no check. */
function canBeDeep(yaml: string): boolean {
  let count = 0;
  for (let i = 0; i < yaml.length; i++) if (levelStarts.includes(yaml[i]!) && ++count >= maxDepth) return true;
  return false;
}

const levelStarts = '[{-?:';
