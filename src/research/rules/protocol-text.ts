import { addToList } from '#lib/collections.ts';

export const protocolTiers = ['minimal', 'standard', 'orchestrator'] as const;
type ProtocolTier = (typeof protocolTiers)[number];

export const protocolSections = [
  'session-start',
  'work-loop',
  'triggers',
  'task-creation',
  'task-discovery',
  'task-relationships',
  'session-commands',
  'memory',
  'nexus',
  'orchestration',
  'playbooks',
  'documents',
  'error-handling',
  'pre-complete-gate',
  'spawn-tiers',
  'rules',
  'memory-jit',
  'escalation',
] as const;
type ProtocolSection = (typeof protocolSections)[number];

interface ListedOperation {
  name: string;
  kind: 'query' | 'mutation' | 'job';
  tier: number;
}

/** Tokens, trust, proofs and signatures are for people; the errors that an agent meets name their commands. */
const isForPeople = (name: string): boolean => /^admin\.(audit|proof|token|trust)\b/.test(name);

/** Renders the protocol up to a tier, each tier between its marks, without the omitted sections. `{{query 0}}` becomes the names of the
 *  queries of tier 0. */
export function renderProtocol(
  source: string,
  tier: ProtocolTier,
  operations: ListedOperation[],
  omitted: readonly ProtocolSection[] = [],
): string {
  const tiers = protocolTiers.slice(0, protocolTiers.indexOf(tier) + 1);
  const removeSections = (text: string): string =>
    text
      .split(/(?=^## )/m)
      .filter((part) => !omitted.some((section) => part.startsWith(`## ${section}\n`)))
      .join('');
  return fillOperations(
    `${tiers.map((name) => `${formatOpenMark(name)}${removeSections(extractTier(source, name))}${formatCloseMark(name)}`).join('\n\n')}\n`,
    operations,
  );
}

/** Sections that a worker on one task does not need: its prompt contains the task, and the orchestrator holds the session. */
export const orchestratorSections = ['session-start', 'work-loop', 'task-discovery'] as const satisfies ProtocolSection[];

/** Renders one section with its heading. */
export function renderProtocolSection(source: string, section: ProtocolSection, operations: ListedOperation[]): string {
  const start = source.indexOf(`\n## ${section}\n`) + 1;
  const rest = source.slice(start);
  const end = /\n(?:## |<!-- \/TIER:)/.exec(rest)?.index ?? rest.length;
  return fillOperations(`${rest.slice(0, end).trimEnd()}\n`, operations);
}

const formatOpenMark = (tier: ProtocolTier): string => `<!-- TIER:${tier} -->`;
const formatCloseMark = (tier: ProtocolTier): string => `<!-- /TIER:${tier} -->`;
const extractTier = (source: string, tier: ProtocolTier): string =>
  source.slice(source.indexOf(formatOpenMark(tier)) + formatOpenMark(tier).length, source.indexOf(formatCloseMark(tier)));

/** Fills in operation names, grouped by domain to save tokens: `tasks.(add complete)`. */
function fillOperations(text: string, operations: ListedOperation[]): string {
  return text.replace(/\{\{(query|mutate) ([012])\}\}/g, (_, gateway: string, tier: string) => {
    const domains = new Map<string, string[]>();
    for (const { name, kind, tier: own } of operations) {
      if (own !== Number(tier) || (kind === 'query') !== (gateway === 'query') || isForPeople(name)) continue;
      const [domain = '', ...rest] = name.split('.');
      addToList(domains, domain, rest.join('.'));
    }
    const names = [...domains].map(([domain, rest]) => `${domain}.${rest.length === 1 ? rest[0] : `(${rest.join(' ')})`}`);
    return names.join(', ') || 'none further';
  });
}
