import { expect, test } from 'vitest';
import { createApp } from '../main.ts';
import { createPlatform } from '../platform/platform.ts';

test('every operation has the scope that was decided for it', async () => {
  const { registry } = createApp(createPlatform({ HOME: '/' }, '/', '0.0.0-test'));
  const operations = await Promise.all(registry.entries.map((entry) => entry.load()));
  const list = (select: (operation: (typeof operations)[number]) => unknown): string[] =>
    operations.flatMap((operation) => (select(operation) ? [operation.name] : [])).sort();
  const listConditional = (name: string): string[] => list(({ scope }) => typeof scope === 'object' && scope.scope === name);
  expect({
    admin: list(({ scope }) => scope === 'admin'),
    decide: list(({ scope }) => scope === 'decide'),
    adminIf: listConditional('admin'),
    decideIf: listConditional('decide'),
    usesHost: list(({ usesHost }) => usesHost),
  }).toEqual({
    admin: [
      'admin.backup.restore',
      'admin.proof.passphrase',
      'admin.token.create',
      'admin.token.list',
      'admin.token.revoke',
      'admin.trust.remove',
      'sync.rebuild',
      'trace.prune',
    ],
    decide: ['review.resolve'],
    adminIf: ['admin.config.set', 'admin.config.unset', 'admin.init', 'admin.trust', 'admin.upgrade'],
    decideIf: [
      'admin.undo',
      'construct.run',
      'memory.confirm',
      'memory.import',
      'memory.reject',
      'memory.supersede',
      'session.end',
      'session.safestop',
      'session.suspend',
      'skills.run',
      'tasks.cancel',
      'tasks.complete',
      'tasks.delete',
      'tasks.start',
      'tasks.update',
      'validator.attest',
      'validator.reject',
    ],
    usesHost: [
      'admin.audit.anchor',
      'admin.audit.sign',
      'admin.doctor.fix',
      'admin.grade.sign',
      'admin.init',
      'admin.setup',
      'admin.setup.check',
      'admin.setup.git',
      'admin.trust',
      'assess.dashboard',
      'assess.judge',
      'construct.run',
      'docs.publish',
      'nexus.deps',
      'nexus.deps.add',
      'nexus.graph',
      'nexus.init',
      'nexus.list',
      'nexus.permissions',
      'nexus.permissions.set',
      'nexus.query',
      'nexus.register',
      'nexus.sync',
      'nexus.unregister',
      'release.ship',
      'skills.install',
      'skills.run',
      'sync.check',
      'sync.git-hook',
      'sync.github',
      'sync.merge',
      'sync.rebuild',
      'sync.resolve',
      'sync.run',
      'tasks.export.file',
      'trace.export.file',
      'trace.repair',
    ],
  });
});
