export const protocolTiers = ['minimal', 'standard', 'orchestrator'] as const;
export type ProtocolTier = (typeof protocolTiers)[number];

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
export type ProtocolSection = (typeof protocolSections)[number];

/** What the text has to know of an operation that it lists. */
interface Listed {
  name: string;
  kind: 'query' | 'mutation' | 'job';
  tier: number;
}

/** Up to this tier, each within its marks. A place like `{{query 0}}` is filled with the names of those operations that there are. */
export function protocolUpTo(source: string, tier: ProtocolTier, operations: Listed[]): string {
  const wanted = protocolTiers.slice(0, protocolTiers.indexOf(tier) + 1);
  return filled(`${wanted.map((name) => `${openMark(name)}${tierBody(source, name)}${closeMark(name)}`).join('\n\n')}\n`, operations);
}

/** One section, with its heading. */
export function protocolSection(source: string, section: ProtocolSection, operations: Listed[]): string {
  const start = source.indexOf(`\n## ${section}\n`) + 1;
  const rest = source.slice(start);
  const end = /\n(?:## |<!-- \/TIER:)/.exec(rest)?.index ?? rest.length;
  return filled(`${rest.slice(0, end).trimEnd()}\n`, operations);
}

const openMark = (tier: ProtocolTier): string => `<!-- TIER:${tier} -->`;
const closeMark = (tier: ProtocolTier): string => `<!-- /TIER:${tier} -->`;
const tierBody = (source: string, tier: ProtocolTier): string =>
  source.slice(source.indexOf(openMark(tier)) + openMark(tier).length, source.indexOf(closeMark(tier)));

/** Names by domain, once each: `tasks.(add complete)`. Agents read it in every conversation. */
function filled(text: string, operations: Listed[]): string {
  return text.replace(/\{\{(query|mutate) ([012])\}\}/g, (_, gateway: string, tier: string) => {
    const domains = new Map<string, string[]>();
    for (const { name, kind, tier: own } of operations) {
      if (own !== Number(tier) || (kind === 'query') !== (gateway === 'query')) continue;
      const [domain = '', ...rest] = name.split('.');
      domains.set(domain, [...(domains.get(domain) ?? []), rest.join('.')]);
    }
    const names = [...domains].map(([domain, rest]) => `${domain}.${rest.length === 1 ? rest[0] : `(${rest.join(' ')})`}`);
    return names.join(', ') || 'none further';
  });
}
