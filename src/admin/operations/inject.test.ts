import { expect, test } from 'vitest';
import { estimateTokens } from '#lib/tokens.ts';
import { protocolSections, protocolTiers } from '#research/rules/protocol-text.ts';
import { openApp } from '../../../test/app.ts';

/** What an agent pays for being told: a number that may fall, never rise. */
const bounds = {
  minimal: { bytes: 5150, tokens: 1850 },
  standard: { bytes: 11_150, tokens: 4000 },
  orchestrator: { bytes: 14_500, tokens: 5300 },
};

test.each(protocolTiers)('%s: the tiers up to it, each within its marks, and short', async (tier) => {
  const { call } = await openApp();
  const { text } = await call('admin.inject', { tier });
  const wanted = protocolTiers.slice(0, protocolTiers.indexOf(tier) + 1);
  expect([...text.matchAll(/<!-- (\/?TIER:\w+) -->/g)].map((found) => found[1])).toEqual(
    wanted.flatMap((name) => [`TIER:${name}`, `/TIER:${name}`]),
  );
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(bounds[tier].bytes);
  expect(estimateTokens(text)).toBeLessThanOrEqual(bounds[tier].tokens);
  expect(text).not.toMatch(/\{\{/);
});

test('the whole holds every section once', async () => {
  const { call } = await openApp();
  const { text } = await call('admin.inject', { tier: 'orchestrator' });
  expect([...text.matchAll(/^## (.+)$/gm)].map((found) => found[1]).sort()).toEqual([...protocolSections].sort());
});

test.each(protocolSections)('%s is printed on its own', async (section) => {
  const { call, cli } = await openApp();
  const { text } = await call('admin.inject.section', { section });
  expect(text.startsWith(`## ${section}\n`)).toBe(true);
  expect(text.match(/^##? /gm)).toHaveLength(1);
  expect(text).not.toContain('TIER:');
  expect(text.length).toBeGreaterThan(200);
  expect((await cli(['briefing', 'inject', '--section', section])).out).toBe(text);
});

test('on the command line it is the text itself, unless JSON is asked for', async () => {
  const { cli } = await openApp();
  expect((await cli(['inject', '--tier', 'minimal'])).out).toMatch(/^<!-- TIER:minimal -->/);
  expect((await cli(['inject', '--tier', 'minimal', '--json'])).envelope).toMatchObject({ tier: 'minimal' });
});

test('a section or tier that does not exist is refused with those that do', async () => {
  const { call } = await openApp();
  expect(await call('admin.inject', { tier: 'full' })).toMatchObject({ error: { exitCode: 2 } });
  const refused = await call('admin.inject.section', { section: 'memry' });
  expect(refused).toMatchObject({ error: { exitCode: 2 } });
  expect(refused.error.message).toContain('memory');
});
