import type { TaskId } from '#core/model/scalars.ts';
import { addToList, groupBy } from '#lib/collections.ts';
import { listPrerequisites, type Milestone, type TaskLinks } from '#tasks/rules/order.ts';
import { formatRemoteId, type ProjectRegistry, type RegisteredProject, type RemoteTaskId } from '../../model/nexus.ts';
import { nexusReads } from './nexus-steps.ts';
import { type AskProject, isUnanswered } from './remote-project.ts';

/** A dependency that is not stored yet. */
interface PlannedDependency {
  from: RemoteTaskId;
  to: RemoteTaskId;
}

interface CrossProjectLinks {
  /** Task ids have the form `project:T001`. */
  links: TaskLinks;
  /** Projects on the way that could not be read. */
  unreadProjects: string[];
}

/** Reads everything that the start tasks wait for, across all readable projects. It proceeds level by level, so that each level queries
 *  each project once. */
export async function readCrossProjectLinks(
  ask: AskProject,
  registry: ProjectRegistry,
  starts: RemoteTaskId[],
  planned?: PlannedDependency,
): Promise<CrossProjectLinks> {
  const links: TaskLinks = { parentOf: new Map(), dependsOf: new Map(), childrenOf: new Map() };
  const unreadProjects = new Set<string>();
  const visited = new Set<Milestone>(starts.map((start): Milestone => `finish ${formatRemoteId(start)}`));
  for (let level = [...visited]; level.length > 0; ) {
    for (const [name, milestones] of groupBy(level, getProjectName)) {
      const project = registry.projects.find((each) => each.name === name);
      if (!project || !(await addProjectLinks(ask, project, milestones, links, planned))) unreadProjects.add(name);
    }
    const next = level.flatMap((milestone) => listPrerequisites(milestone, links)).filter((milestone) => !visited.has(milestone));
    for (const milestone of next) visited.add(milestone);
    level = [...new Set(next)];
  }
  return { links, unreadProjects: [...unreadProjects] };
}

async function addProjectLinks(
  ask: AskProject,
  project: RegisteredProject,
  milestones: Milestone[],
  links: TaskLinks,
  planned: PlannedDependency | undefined,
): Promise<boolean> {
  const listTaskIds = (kind: string) =>
    milestones.filter((milestone) => milestone.startsWith(kind)).map((milestone) => milestone.slice(milestone.indexOf(':') + 1));
  const toFullId = (id: TaskId) => formatRemoteId({ project: project.name, id });
  try {
    const found = await ask(project, nexusReads.prerequisites, { begin: listTaskIds('begin'), finish: listTaskIds('finish') });
    for (const { id, parentId, depends, remote } of found.links) {
      if (parentId) links.parentOf.set(toFullId(id), toFullId(parentId));
      links.dependsOf.set(toFullId(id), [...depends.map(toFullId), ...remote]);
    }
    for (const { from, to } of found.children) addToList(links.childrenOf, toFullId(from), toFullId(to));
  } catch (error) {
    if (!isUnanswered(error)) throw error;
    return false;
  }
  const depends = planned && links.dependsOf.get(formatRemoteId(planned.from));
  if (depends && !depends.includes(formatRemoteId(planned.to))) depends.push(formatRemoteId(planned.to));
  return true;
}

const getProjectName = (milestone: Milestone): string => milestone.slice(milestone.indexOf(' ') + 1, milestone.indexOf(':'));
