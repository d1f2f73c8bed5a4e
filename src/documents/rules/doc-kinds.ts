interface DocKind {
  name: string;
  about: string;
  source: 'built-in' | 'config';
}

const builtInKinds: Record<string, string> = {
  spec: 'Requirements that can be tested',
  adr: 'Architecture decision: context, decision and consequences',
  research: 'Findings and their sources',
  handoff: 'State of the work for the next agent',
  note: 'Anything worth storing',
  'llm-readme': 'Introduction for a language model',
  plan: 'Ordered steps to a goal',
  changelog: 'Changes between versions',
};

/** Lists the kinds of documents: the built-in ones and those of the configuration. */
export const listDocKinds = (added: readonly string[]): DocKind[] => [
  ...Object.entries(builtInKinds).map(([name, about]) => ({ name, about, source: 'built-in' as const })),
  ...[...new Set(added)]
    .filter((name) => !Object.hasOwn(builtInKinds, name))
    .map((name) => ({ name, about: 'Added by docs.types', source: 'config' as const })),
];
