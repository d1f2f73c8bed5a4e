import { description, picklist, pipe, strictObject, string } from 'valibot';
import { query } from '#core/define.ts';
import { protocolText } from '#orchestration/protocol.generated.ts';
import { protocolTiers, renderProtocol } from '#research/rules/protocol-text.ts';

export const adminInject = query({
  name: 'admin.inject',
  summary: 'Print the protocol text for an agent',
  params: strictObject({
    tier: pipe(
      picklist(protocolTiers),
      description('minimal: any agent; standard: also sessions and handoffs; orchestrator: also spawning'),
    ),
  }),
  result: strictObject({ text: string(), tier: picklist(protocolTiers) }),
  errors: [],
  tier: 1,
  needs: 'nothing',
  cli: { command: 'inject', args: ['tier'], raw: 'text' },
  example: { call: { tier: 'minimal' } },
  run: async ({ registry }, { tier }) => ({ text: renderProtocol(protocolText, tier, registry.entries), tier }),
});
