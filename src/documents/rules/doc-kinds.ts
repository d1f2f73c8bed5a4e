export interface DocKind {
  name: string;
  about: string;
  source: 'built-in' | 'config';
}

const builtIn: Record<string, string> = {
  spec: 'What has to be built, in sentences that can be tested',
  adr: 'One architecture decision: its context, the choice, and what follows',
  research: 'What was found out, and where',
  handoff: 'Where the work stands, for whoever comes next',
  note: 'Anything worth keeping',
  'llm-readme': 'An introduction written for a language model',
  plan: 'Which steps lead there, in which order',
  changelog: 'What changed between versions',
};

/** The kinds that a document may have: ours, and those that the configuration adds. */
export const docKinds = (added: readonly string[]): DocKind[] => [
  ...Object.entries(builtIn).map(([name, about]) => ({ name, about, source: 'built-in' as const })),
  ...[...new Set(added)]
    .filter((name) => !Object.hasOwn(builtIn, name))
    .map((name) => ({ name, about: 'Added by docs.types', source: 'config' as const })),
];
