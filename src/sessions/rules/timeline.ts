/** The part of a log entry that a timeline shows. `operation` is the canonical name. */
export interface TimelineEntry {
  seq: number;
  timestamp: string;
  agent: string;
  session?: string;
  operation: string;
  success: boolean;
  errorCode?: string;
  isQuery: boolean;
  created: string[];
  updated: string[];
}

/** A period in which an agent worked on a task; without an end it still does. */
interface FocusPeriod {
  taskId: string;
  from: string;
  to?: string;
}

/** An event on the lane of an agent. `text` is the operation of an error, with its code. */
interface TimelineMark {
  at: string;
  seq: number;
  kind: 'done' | 'error' | 'handoff';
  taskId?: string;
  session?: string;
  text?: string;
}

export interface TimelineLane {
  agent: string;
  focus: FocusPeriod[];
  marks: TimelineMark[];
}

/** Operations after which their agent works on the task that they changed. A session can start with a focus. */
const starts = new Set(['tasks.start', 'tasks.claim-next', 'session.start', 'session.resume', 'orchestrate.start']);
/** Operations that end the work on the tasks that they change. */
const ends = new Set(['tasks.complete', 'tasks.stop', 'tasks.cancel', 'tasks.delete', 'tasks.archive']);
/** Operations after which the agent works on nothing. */
const leaves = new Set(['session.end', 'session.suspend', 'session.safestop']);

/** Builds one lane for each agent from log entries, oldest first. An agent works on one task at a time, so a new focus ends the one before.
 *  Reads are not shown, except those that failed. */
export function buildTimeline(entries: TimelineEntry[]): TimelineLane[] {
  const lanes = new Map<string, TimelineLane>();
  const endFocus = (isEnded: (period: FocusPeriod, lane: TimelineLane) => boolean, at: string): void => {
    for (const lane of lanes.values()) {
      const last = lane.focus.at(-1);
      if (last && last.to === undefined && isEnded(last, lane)) last.to = at;
    }
  };
  for (const entry of entries) {
    const { agent, operation, timestamp: at } = entry;
    const lane = lanes.get(agent) ?? { agent, focus: [], marks: [] };
    lanes.set(agent, lane);
    if (!entry.success) {
      lane.marks.push({ ...toMark(entry, 'error'), text: entry.errorCode ? `${operation}: ${entry.errorCode}` : operation });
      continue;
    }
    if (entry.isQuery) continue;
    const tasks = entry.updated.filter(isTask);
    if (operation === 'tasks.complete') for (const taskId of tasks.slice(0, 1)) lane.marks.push({ ...toMark(entry, 'done'), taskId });
    if (ends.has(operation)) endFocus(({ taskId }) => tasks.includes(taskId), at);
    if (leaves.has(operation)) {
      endFocus((_, { agent: other }) => other === agent, at);
      lane.marks.push(toMark(entry, 'handoff'));
    }
    // The task that a start releases is updated before the one that it claims.
    const started = starts.has(operation) ? tasks.at(-1) : undefined;
    if (started === undefined) continue;
    // A task that is taken over has a new worker.
    endFocus(({ taskId }, { agent: other }) => other === agent || taskId === started, at);
    lane.focus.push({ taskId: started, from: at });
  }
  return [...lanes.values()].filter(({ focus, marks }) => focus.length + marks.length > 0);
}

const isTask = (id: string): boolean => /^T\d+$/.test(id);

const toMark = ({ timestamp: at, seq, session }: TimelineEntry, kind: TimelineMark['kind']): TimelineMark => ({
  at,
  seq,
  kind,
  ...(session === undefined ? {} : { session }),
});
