import { expect, test } from 'vitest';
import { estimateTokens } from '#lib/tokens.ts';
import { protocolSections, protocolTiers } from '#research/rules/protocol-text.ts';
import { openApp } from '../../../test/app.ts';

/** The cost of the protocol text for an agent. The limits may decrease, but must not increase. */
const bounds = {
  minimal: { bytes: 5150, tokens: 1850 },
  standard: { bytes: 11_150, tokens: 4000 },
  orchestrator: { bytes: 14_500, tokens: 5300 },
};

test.each(protocolTiers)('%s contains the tiers up to it, each between its marks, within its limit', async (tier) => {
  const { call } = await openApp();
  const { text } = await call('admin.inject', { tier });
  const expected = protocolTiers.slice(0, protocolTiers.indexOf(tier) + 1);
  expect([...text.matchAll(/<!-- (\/?TIER:\w+) -->/g)].map((found) => found[1])).toEqual(
    expected.flatMap((name) => [`TIER:${name}`, `/TIER:${name}`]),
  );
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(bounds[tier].bytes);
  expect(estimateTokens(text)).toBeLessThanOrEqual(bounds[tier].tokens);
  expect(text).not.toMatch(/\{\{/);
});

test('the orchestrator tier contains every section once', async () => {
  const { call } = await openApp();
  const { text } = await call('admin.inject', { tier: 'orchestrator' });
  expect([...text.matchAll(/^## (.+)$/gm)].map((found) => found[1]).sort()).toEqual([...protocolSections].sort());
});

test.each(protocolSections)('prints the section %s', async (section) => {
  const { call, cli } = await openApp();
  const { text } = await call('admin.inject.section', { section });
  expect(text.startsWith(`## ${section}\n`)).toBe(true);
  expect(text.match(/^##? /gm)).toHaveLength(1);
  expect(text).not.toContain('TIER:');
  expect(text.length).toBeGreaterThan(200);
  expect((await cli(['briefing', 'inject', '--section', section])).out).toBe(text);
});

test('prints plain text on the command line, and JSON with --json', async () => {
  const { cli } = await openApp();
  expect((await cli(['inject', '--tier', 'minimal'])).out).toMatch(/^<!-- TIER:minimal -->/);
  expect((await cli(['inject', '--tier', 'minimal', '--json'])).envelope).toMatchObject({ tier: 'minimal' });
});

test('rejects an unknown tier or section and suggests a known one', async () => {
  const { call } = await openApp();
  expect(await call('admin.inject', { tier: 'full' })).toMatchObject({ error: { exitCode: 2 } });
  const refused = await call('admin.inject.section', { section: 'memry' });
  expect(refused).toMatchObject({ error: { exitCode: 2 } });
  expect(refused.error.message).toContain('memory');
});
