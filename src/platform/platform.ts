import { join, resolve } from 'node:path';
import { isoTime } from '#lib/iso-time.ts';
import { agentFrom, isAgents } from '#sessions/rules/caller.ts';
import { backups } from './backups.ts';
import { configFiles } from './config.ts';
import { files } from './files.ts';
import { monotonicMs } from './monotonic.ts';
import type { Platform, Project } from './port.ts';
import { findProject, newProject } from './project.ts';

/** The real world, as operations see it. */
export function platformOf(env: Record<string, string | undefined>, folder: string, version: string): Platform {
  const home = resolve(env.CLEO_HOME || join(env.HOME || env.USERPROFILE || process.getBuiltinModule('node:os').homedir(), '.cleo'));
  let project: Project | undefined;
  const platform: Platform = {
    now: () => isoTime(Date.now()),
    // Not `performance.now()`, which loads a module of its own.
    monotonicMs,
    version,
    runtime: `node ${process.versions.node}`,
    folder,
    home,
    project() {
      project ??= findProject(folder, env.CLEO_ROOT, home);
      return project;
    },
    newProject: () => newProject(folder, env.CLEO_ROOT, home),
    files,
    config: configFiles(home),
    backups,
    skills: {
      all: async (project) => (await import('./skills.ts')).allSkills(project, home),
      source: async (name) => (await import('./skills.ts')).bundledSource(name),
    },
    run: async (words, options) => (await import('./process.ts')).run(env, words, options),
    git: async () => (await import('./git.ts')).gitOf(env),
    ground: async (of) => (await import('./ground.ts')).groundOf(platform, of, env),
    workingTree: async (of) => (await import('./tree.ts')).workingTree(folder, of),
    fileIn: async (of, tree, path, from = folder) => (await import('./tree.ts')).fileIn(tree, from, of, path),
    databaseUrl: env.CLEO_DATABASE_URL || undefined,
    caller: { agent: agentFrom(env), ...(env.CLEO_SESSION_ID ? { session: env.CLEO_SESSION_ID } : {}) },
    isAtTerminal: () => !isAgents(env) && [0, 1].every((fd) => process.getBuiltinModule('node:tty').isatty(fd)),
    grade: { isOn: env.CLEO_SESSION_GRADE === 'true', id: env.CLEO_SESSION_GRADE_ID || undefined },
    announce(session, isGraded) {
      env.CLEO_SESSION_ID = session;
      if (isGraded) Object.assign(env, { CLEO_SESSION_GRADE: 'true', CLEO_SESSION_GRADE_ID: session });
    },
    sha256: (text) => process.getBuiltinModule('node:crypto').createHash('sha256').update(text).digest('hex'),
    randomSecret: () => process.getBuiltinModule('node:crypto').randomBytes(32).toString('base64url'),
    isSameSecret(a, b) {
      const [one, other] = [Buffer.from(a), Buffer.from(b)];
      return one.length === other.length && process.getBuiltinModule('node:crypto').timingSafeEqual(one, other);
    },
    randomHex: (length) => Array.from({ length }, () => Math.floor(Math.random() * 16).toString(16)).join(''),
  };
  return platform;
}
