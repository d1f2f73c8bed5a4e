import { foundation } from './001-foundation.ts';
import { sessions } from './002-sessions.ts';
import { orchestration } from './003-orchestration.ts';
import { knowledge } from './004-knowledge.ts';
import type { Migration } from './migration.ts';

/** In order. The last version is `schemaVersion`, which the cold path knows without loading this. */
export const migrations: Migration[] = [foundation, sessions, orchestration, knowledge];
