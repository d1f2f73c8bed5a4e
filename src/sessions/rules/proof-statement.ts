/** The facts that a signature of a person covers. */
interface ProofStatement {
  project: string;
  operation: string;
  subject: string;
  /** SHA-256 of the parameters of the call, and of the content that is decided about. */
  params: string;
  content?: string | undefined;
  at: string;
}

/** The namespace of `ssh-keygen -Y`. A signature for git or for an audit head is not one for a decision. */
export const decisionNamespace = 'cleo-decision';

const header = 'cleo decision, version 1';

/** Formats the text that is signed. One fact a line, so that a person can read it before signing. */
export const formatStatement = ({ project, operation, subject, params, content, at }: ProofStatement): string =>
  `${[header, `project: ${project}`, `operation: ${operation}`, `subject: ${subject}`, `params: sha256:${params}`, ...(content === undefined ? [] : [`content: sha256:${content}`]), `at: ${at}`].join('\n')}\n`;

/** Reads a statement; undefined if the text is not one. */
export function parseStatement(text: string): ProofStatement | undefined {
  const [first, ...lines] = text.trimEnd().split('\n');
  if (first !== header) return undefined;
  const facts = new Map(lines.map((line) => [line.slice(0, line.indexOf(': ')), line.slice(line.indexOf(': ') + 2)]));
  const read = (name: string): string => facts.get(name) ?? '';
  const readDigest = (name: string): string | undefined => facts.get(name)?.replace(/^sha256:/, '');
  const statement = {
    project: read('project'),
    operation: read('operation'),
    subject: read('subject'),
    params: readDigest('params') ?? '',
    content: readDigest('content'),
    at: read('at'),
  };
  // Formatting it again rejects lines that are missing, repeated, in another order or not known.
  return formatStatement(statement) === text ? statement : undefined;
}

/** Returns the type and key of a line of `allowed_signers`; undefined if it has none. */
export function parseSignerKey(line: string): string | undefined {
  const [, type, key] = /(?:^|\s)((?:sk-)?(?:ssh|ecdsa)-[\w@.-]+) ([A-Za-z0-9+/]+={0,2})(?:\s|$)/.exec(line) ?? [];
  return type && key ? `${type} ${key}` : undefined;
}
