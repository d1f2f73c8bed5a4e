import type { TaskId } from '#core/model/scalars.ts';
import type { ReadStore } from '#store/port.ts';
import { type Links, type Moment, waitsFor } from '#tasks/rules/order.ts';
import { type FarId, farName, type RegisteredProject, type Registry } from '../../model/nexus.ts';
import { farEnd, isSound } from '../../rules/nexus-wait.ts';
import type { Ask } from './far.ts';
import { isUnanswered } from './far.ts';

/** A dependency that is only planned. */
export interface Planned {
  from: FarId;
  to: FarId;
}

export interface Across {
  /** Tasks as `project:T001`. */
  links: Links;
  /** Projects that the search came to and could not look into. */
  unseen: string[];
}

/** Everything that these wait for, through all projects that can be read, level by level: each level asks each project once. */
export async function linksAcross(ask: Ask, registry: Registry, starts: FarId[], planned?: Planned): Promise<Across> {
  const links: Links = { parentOf: new Map(), dependsOf: new Map(), childrenOf: new Map() };
  const unseen = new Set<string>();
  const known = new Set<Moment>(starts.map((start): Moment => `finish ${farName(start)}`));
  for (let level = [...known]; level.length > 0; ) {
    for (const [name, moments] of byProject(level)) {
      const project = registry.projects.find((each) => each.name === name);
      if (!project || !(await look(ask, project, moments, links, planned))) unseen.add(name);
    }
    const next = level.flatMap((moment) => waitsFor(moment, links)).filter((moment) => !known.has(moment));
    for (const moment of next) known.add(moment);
    level = [...new Set(next)];
  }
  return { links, unseen: [...unseen] };
}

async function look(ask: Ask, project: RegisteredProject, moments: Moment[], links: Links, planned: Planned | undefined): Promise<boolean> {
  const of = (kind: string) => moments.filter((moment) => moment.startsWith(kind)).map((moment) => moment.slice(moment.indexOf(':') + 1));
  const full = (id: TaskId) => farName({ project: project.name, id });
  try {
    await ask(project, async (store) => {
      const begin = of('begin');
      for (const { id, parentId, depends } of await store.tasks.links(begin)) {
        if (parentId) links.parentOf.set(full(id), full(parentId));
        links.dependsOf.set(full(id), [...depends.map(full), ...(await farOf(store, id))]);
      }
      for (const { from, to } of await store.tasks.childIds(of('finish')))
        links.childrenOf.set(full(from), [...(links.childrenOf.get(full(from)) ?? []), full(to)]);
    });
  } catch (error) {
    if (!isUnanswered(error)) throw error;
    return false;
  }
  const start = planned && farName(planned.from);
  if (planned && start && links.dependsOf.has(start) && !links.dependsOf.get(start)?.includes(farName(planned.to)))
    links.dependsOf.set(start, [...(links.dependsOf.get(start) ?? []), farName(planned.to)]);
  return true;
}

const farOf = async (store: ReadStore, id: TaskId): Promise<string[]> => (await store.nexus.of(id)).filter(isSound).map(farEnd);

function byProject(moments: Moment[]): Map<string, Moment[]> {
  const groups = new Map<string, Moment[]>();
  for (const moment of moments) {
    const name = moment.slice(moment.indexOf(' ') + 1, moment.indexOf(':'));
    groups.set(name, [...(groups.get(name) ?? []), moment]);
  }
  return groups;
}
