import type { QueryContext } from '#core/define.ts';
import { commandLine } from '#core/errors/catalog.ts';
import { CleoError } from '#core/errors/error.ts';
import type { Config } from '#core/model/config.ts';
import { findProfileProblem } from '#core/model/profile-config.ts';
import { findNearest } from '#lib/nearest.ts';
import type { Profile } from '../../model/profile.ts';
import { findPermissionBypass, listProfiles, resolveProfile } from '../../rules/profiles.ts';

type ProfileContext = Pick<QueryContext, 'platform' | 'project' | 'commandWith'> & { config: Config };

/** Returns a profile, by default that of `work.profile`. A profile that switches off the permission checks of its client works only from
 *  the user's own configuration: a project could otherwise make its agents do everything. */
export function requireProfile({ platform, project, config, commandWith }: ProfileContext, name = config['work.profile']): Profile {
  const createError = (problem: string, fix: string): CleoError =>
    new CleoError('E_CONFIG_ERROR', { path: `profiles.${name}`, problem, fix, valid: listProfiles(config) });
  const problem = findProfileProblem(config[`profiles.${name}`] ?? {});
  if (problem) throw createError(problem, `cleo config get profiles.${name}`);
  const profile = resolveProfile(name, config);
  if (!profile) {
    const [near] = findNearest(name, listProfiles(config));
    throw createError('has no command: its argv is not set', commandWith({ profile: near ?? listProfiles(config)[0] ?? 'claude' }));
  }
  const bypass = findPermissionBypass(profile.argv);
  const isOfProject = platform.config.inspect(platform.config.projectFile(project)).values[`profiles.${name}`]?.argv !== undefined;
  if (bypass && isOfProject)
    throw createError(
      `switches off all permission checks (${bypass}), which works only from the user's own configuration`,
      commandLine(['cleo', 'config', 'unset', `profiles.${name}`]),
    );
  return profile;
}
