import { foundationMigration } from './001-foundation.ts';
import { sessionsMigration } from './002-sessions.ts';
import { orchestrationMigration } from './003-orchestration.ts';
import { knowledgeMigration } from './004-knowledge.ts';
import { holdersMigration } from './005-holders.ts';
import { trustMigration } from './006-trust.ts';
import { planMigration } from './007-plan.ts';
import { accessMigration } from './008-access.ts';
import { sharedRecordsMigration } from './009-shared-records.ts';
import { ranksMigration } from './010-ranks.ts';
import type { Migration } from './migration.ts';

/** In order. The last version is `schemaVersion`, a constant of its own so that commands need not load this file. */
export const migrations: Migration[] = [
  foundationMigration,
  sessionsMigration,
  orchestrationMigration,
  knowledgeMigration,
  holdersMigration,
  trustMigration,
  planMigration,
  accessMigration,
  sharedRecordsMigration,
  ranksMigration,
];
