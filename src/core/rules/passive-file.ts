/** Extensions of files that people and models read, and that no program runs or obeys. */
const passiveExtensions = [
  'md',
  'mdx',
  'markdown',
  'txt',
  'rst',
  'adoc',
  'html',
  'csv',
  'jsonl',
  'log',
  'svg',
  'png',
  'jpg',
  'jpeg',
  'gif',
  'pdf',
];

/** Files that agent clients give to every agent as instructions, also in folders, and those of skills. */
const instructions = /^(?:agents|claude|gemini|qwen|copilot-instructions|skill)(?:\.(?:local|override))?\.(?:md|mdx|markdown)$/i;

/** The reason why a caller without a shell must not choose the content of this file: a script, `package.json`, or the settings of a
 *  client would let it run programs. `more` are further extensions whose content the caller does not choose. */
export function findActiveFileProblem(path: string, more: string[] = []): string | undefined {
  const parts = path.split(/[/\\]/).filter((part) => part !== '.');
  const hidden = parts.find((part) => part.startsWith('.'));
  const name = parts.at(-1) ?? '';
  const extension = /[^.]\.([A-Za-z0-9]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
  if (more.includes(extension)) return undefined;
  if (hidden) return `${hidden} is hidden, and programs may read their settings there; only the command line writes to it`;
  if (instructions.test(name)) return `agents follow the instructions in ${name}; only the command line writes to it`;
  if (passiveExtensions.includes(extension)) return undefined;
  return `a program could run or obey such a file; only the command line writes to other files than .${passiveExtensions.join(', .')}`;
}
