/** Protocols for each kind of work, in addition to the base protocol. If a keyword belongs to two of them, the first one is chosen.
 *  `title` is the first word of a subagent's return message; `keywords` match the title or description of a task. */
export const protocolTable = {
  research: { title: 'Research', keywords: ['research', 'investigate', 'explore'] },
  consensus: { title: 'Consensus', keywords: ['vote', 'validate', 'decide'] },
  specification: { title: 'Specification', keywords: ['spec', 'rfc', 'design'] },
  decomposition: { title: 'Decomposition', keywords: ['epic', 'plan', 'decompose'] },
  implementation: { title: 'Implementation', keywords: ['implement', 'build', 'create'] },
  contribution: { title: 'Contribution', keywords: ['pr', 'merge', 'shared'] },
  release: { title: 'Release', keywords: ['release', 'version', 'publish'] },
  'artifact-publish': { title: 'Artifact Publish', keywords: ['publish', 'artifact', 'package'] },
  provenance: { title: 'Provenance', keywords: ['provenance', 'attestation', 'slsa'] },
} as const satisfies Record<string, { title: string; keywords: readonly string[] }>;

export type ProtocolName = keyof typeof protocolTable;

export const protocolNames = Object.keys(protocolTable) as [ProtocolName, ...ProtocolName[]];

export const isProtocol = (name: string): name is ProtocolName => Object.hasOwn(protocolTable, name);
