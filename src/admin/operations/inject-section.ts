import { description, picklist, pipe, strictObject, string } from 'valibot';
import { query } from '#core/define.ts';
import { protocolText } from '#orchestration/protocol.generated.ts';
import { protocolSections, renderProtocolSection } from '#research/rules/protocol-text.ts';

export const adminInjectSection = query({
  name: 'admin.inject.section',
  summary: 'Print one section of the protocol text',
  params: strictObject({ section: pipe(picklist(protocolSections), description('Name of the section')) }),
  result: strictObject({ text: string(), section: picklist(protocolSections) }),
  errors: [],
  tier: 1,
  needs: 'nothing',
  cli: { command: ['briefing inject', 'inject section'], args: ['section'], raw: 'text' },
  example: { call: { section: 'error-handling' } },
  run: async ({ registry }, { section }) => ({ text: renderProtocolSection(protocolText, section, registry.entries), section }),
});
