import { join } from 'node:path';
import { array, type InferOutput, number, object, optional, string } from 'valibot';
import { observation } from '#core/observation.ts';
import { defined } from '#lib/collections.ts';
import { requireProfile } from './require-profile.ts';

const OwnProfileSchema = object({
  name: string(),
  concurrency: number(),
  capabilities: optional(array(string())),
  root: string(),
  worktrees: string(),
});
export type OwnProfile = InferOutput<typeof OwnProfileSchema>;

/** The profile and the folders of the machine whose `cleo work` claims a task. */
export const ownProfile = observation({
  name: 'checkout.profile',
  isQuick: true,
  request: object({ profile: optional(string()) }),
  facts: OwnProfileSchema,
  async observe(ctx, { profile }) {
    const { platform, project } = ctx;
    const { name, concurrency } = requireProfile(ctx, profile);
    // What a machine offers is set by its user; the other limits are those of the project.
    const capabilities = platform.config.inspect(platform.config.userFile()).values['work.capabilities'];
    return { name, concurrency, root: project.root, worktrees: join(project.folder, 'worktrees'), ...defined({ capabilities }) };
  },
});
