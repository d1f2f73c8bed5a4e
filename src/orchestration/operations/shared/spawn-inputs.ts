import { array, object, optional, picklist, string, tuple } from 'valibot';
import { observation, requestFacts } from '#core/observation.ts';
import { promptCommandKeys } from '#core/rules/trust.ts';
import { ProjectContextSchema } from '#detect/model/project-context.ts';
import { readProjectContext } from '#detect/operations/shared/project-context.ts';
import { defined } from '#lib/collections.ts';
import { getOutputFolder } from '#research/rules/manifest.ts';
import { protocolNames } from '#skills/model/protocol.ts';
import { listSkills, requireSkill } from '#skills/operations/shared/find-skill.ts';
import { readSkillHeads, SkillHeadsSchema } from '#skills/operations/shared/skill-heads.ts';
import { baseProtocol, protocols } from '../../protocols.generated.ts';
import { findReferences } from '../../rules/resolve-template.ts';
import { resolveOutput } from './write-prompts.ts';

const Protocol = picklist(protocolNames);

/** The project as the caller has it: its folder, its skills without their texts, and its commands. */
export const projectSkills = observation({
  name: 'checkout.skills',
  request: object({}),
  facts: object({ ...SkillHeadsSchema.entries, root: string(), project: optional(ProjectContextSchema) }),
  async observe(ctx) {
    const { platform, project, config } = ctx;
    await (await ctx.platform.loadTrust()).requireTrusted(ctx.project, { keys: promptCommandKeys });
    // A folder that cannot be written to is an error before anything is recorded.
    await resolveOutput(ctx, getOutputFolder(config, 'T1'));
    return { ...(await readSkillHeads(platform)), root: project.root, ...defined({ project: readProjectContext(platform, project) }) };
  },
});

/** The text of a skill, and the files that it and its protocol refer to. */
export const skillText = observation({
  name: 'checkout.skill',
  request: object({ name: string(), protocol: Protocol }),
  facts: object({ text: string(), references: array(tuple([string(), string()])) }),
  async observe({ platform, project }, { name, protocol }) {
    const { text, origin, path } = requireSkill(await listSkills(platform), name);
    const paths = findReferences([baseProtocol, protocols[protocol], text].join('\n\n'));
    if (paths.length === 0) return { text, references: [] };
    const { readReferences } = await import('#platform/references.ts');
    return { text, references: [...readReferences(project, origin === 'project' ? path : undefined, paths)] };
  },
});

/** For the definition of an operation that spawns. */
export const spawnObservations = [projectSkills, skillText];
export const observeSkillsFirst = () => [requestFacts(projectSkills, {})];
