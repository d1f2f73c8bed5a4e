import { type GateName, type Priority, type Status, type TaskSize, type TaskType, toTaskId } from '../src/core/model/scalars.ts';
import type { Token } from '../src/core/model/token.ts';
import { toUid } from '../src/core/rules/uid.ts';
import { sha256 } from '../src/lib/digest.ts';
import { type ConfirmationState, confirmationStates, type MemoryType } from '../src/memory/model/memory.ts';
import { findCitations } from '../src/memory/rules/find-citations.ts';
import { hashMemory } from '../src/memory/rules/memory-view.ts';
import type { Stage } from '../src/planning/model/lifecycle.ts';
import { formatChangelogEntries } from '../src/release/rules/changelog.ts';
import type { SessionRecord } from '../src/sessions/model/session.ts';
import type { Store, WriteStore } from '../src/store/port/store.ts';
import type { Note, TaskRecord } from '../src/tasks/model/task.ts';
import { parseScope } from '../src/tasks/rules/scope.ts';
import { createTaskRecord } from './task-record.ts';

const types = ['saga', 'epic', 'task', 'subtask'];
const statuses = ['pending', 'active', 'blocked', 'done'];
const priorities = ['critical', 'high', 'medium', 'low'];
const sizes = ['small', 'large'];
const createdAt = '2026-01-01T00:00:00.000Z';

/** Fills the store, one item a line:
 *  `T002 epic in T001 depends T003,T004 done high large labels a,b files x.ts phase core archived by agent-1: Title` is a task. Without
 *  a type it follows its parent: an epic in a saga, a subtask in a task. `by` is the agent that claims an active task, or
 *  `ada@session-1` for a claim in a session.
 *  `session session-1 epic:T001 suspended graded by ada: Name` is a session, `token ci query` a token without a known secret,
 *  `stage T001 research completed` a stage of an epic, `gate T002 implemented by ada: a note` evidence for a gate,
 *  `doc parsers T001 spec: Title` a document of a task with its title as a heading, `release v1.0.0 T002,T003` a release of these tasks,
 *  `memory decision accepted about T002 tags a,b in session-1 by ada: Content` a memory entry with the next id of its type. */
export async function buildWorld(store: Store, lines: string[]): Promise<void> {
  const tasks = new Map<string, TaskRecord>();
  const holders = new Map<string, string>();
  const sessions = lines.filter((line) => line.startsWith('session ')).map(parseSession);
  const tokens = lines.filter((line) => line.startsWith('token ')).map(parseToken);
  for (const line of lines.filter((line) => !/^(session|token|stage|gate|release|memory|doc) /.test(line))) {
    const [head = '', title] = line.split(/:\s+(.*)/s);
    const words = head.trim().split(/\s+/);
    const id = words.shift() ?? '';
    const task = createTaskRecord(id, {
      ...(title === undefined ? {} : { title }),
      // Ids that `openApp` gives with a fixed clock are counted from 1.
      uid: toUid(createdAt, `f${id.slice(1).padStart(11, '0')}`),
      createdAt,
      updatedAt: createdAt,
    });
    let isTyped = false;
    while (words.length > 0) {
      const word = words.shift()!;
      if (types.includes(word)) {
        task.type = word as TaskType;
        isTyped = true;
      } else if (statuses.includes(word)) task.status = word as Status;
      else if (priorities.includes(word)) task.priority = word as Priority;
      else if (sizes.includes(word)) task.size = word as TaskSize;
      else if (word === 'in') task.parentId = words.shift()!;
      else if (word === 'depends') task.depends = words.shift()!.split(',');
      else if (word === 'labels') task.labels = words.shift()!.split(',');
      else if (word === 'files') task.files = words.shift()!.split(',');
      else if (word === 'phase') task.phase = words.shift()!;
      else if (word === 'accept')
        task.acceptance = words
          .shift()!
          .split('|')
          .map((text) => ({ kind: 'text', text }));
      else if (word === 'evidence')
        task.acceptance = words
          .shift()!
          .split(',')
          .map((gate) => ({ kind: 'evidence_bound', gate: gate as 'qaPassed' }));
      else if (word === 'archived') task.archivedAt = createdAt;
      else if (word === 'by') holders.set(id, words.shift()!);
      else throw new Error(`unknown word ${JSON.stringify(word)} in ${line}`);
    }
    if (!isTyped && task.parentId)
      task.type = ({ saga: 'epic', epic: 'task', task: 'subtask', subtask: 'subtask' } as const)[tasks.get(task.parentId)?.type ?? 'epic'];
    if (task.status !== 'pending') task.startedAt = createdAt;
    if (task.status === 'done') {
      task.completedAt = createdAt;
      task.resolution = 'done';
    }
    if (task.status === 'blocked') task.blockedBy = 'waiting';
    tasks.set(id, task);
  }
  const entries = lines.filter((line) => line.startsWith('memory '));
  if (tasks.size + sessions.length + tokens.length + entries.length === 0) return;
  await store.write({ at: createdAt, by: 'world' }, async (writes) => {
    for (const session of sessions) {
      await writes.sessions.insert(session);
      await writes.sessions.attach(session.id, session.startedBy, createdAt);
      if (session.status === 'ended') await writes.sessions.save({ ...session, endedAt: createdAt });
    }
    for (const token of tokens) await writes.tokens.insert(token);
    for (const line of entries) await insertMemory(writes, line);
    if (tasks.size === 0) return;
    await writes.tasks.insertMany([...tasks.values()].map((task) => ({ task, notes: [] as Note[] })));
    await writes.tasks.reserveIds(toTaskId(Math.max(...[...tasks.keys()].map((id) => Number(id.slice(1))))));
    for (const [taskId, holder] of holders) {
      const [agent = '', session] = holder.split('@');
      await writes.claims.insert({
        taskId,
        agent,
        ...(session ? { session } : {}),
        claimedAt: createdAt,
        focusedAt: createdAt,
        renewedAt: '2099-01-01T00:00:00.000Z',
      });
    }
    for (const line of lines.filter((line) => line.startsWith('stage '))) {
      const [, epicId = '', stage, status] = line.split(' ');
      await writes.lifecycle.saveStage(epicId, { stage, status, by: 'world', at: createdAt } as Stage);
    }
    for (const line of lines.filter((line) => line.startsWith('release '))) {
      const [, version = '', ids = ''] = line.split(' ');
      const done = ids.split(',').flatMap((id) => tasks.get(id) ?? []);
      const release = {
        version,
        status: 'created' as const,
        changelog: formatChangelogEntries(done),
        steps: [],
        createdAt,
        createdBy: 'world',
      };
      await writes.releases.insert(release, ids.split(','));
    }
    for (const line of lines.filter((line) => line.startsWith('doc '))) {
      const [head = '', title = 'Untitled'] = line.split(/:\s+(.*)/s);
      const [, slug = '', taskId = '', kind = 'note'] = head.split(' ');
      const content = `# ${title}\n`;
      const kept = { digest: sha256(content), encoding: 'utf8' as const, size: Buffer.byteLength(content), content };
      await writes.docs.insert({ slug, kind, title }, { ...kept, version: 1, at: createdAt, agentId: 'world' });
      await writes.docs.attach(slug, taskId);
    }
    for (const line of lines.filter((line) => line.startsWith('gate '))) {
      const [head = '', text = 'seen'] = line.split(/:\s+(.*)/s);
      const [, id = '', gate, , by = 'world'] = head.split(' ');
      await writes.gates.addAttempt(id, {
        gate: gate as GateName,
        round: 1,
        passed: true,
        evidence: [{ kind: 'note', text }],
        by,
        at: createdAt,
      });
      await writes.gates.saveRounds(id, { round: 1, failed: 0 });
    }
  });
}

function parseSession(line: string): SessionRecord {
  const [head = '', name] = line.split(/:\s+(.*)/s);
  const [, id = '', scope = '', ...words] = head.trim().split(/\s+/);
  const by = words.indexOf('by');
  return {
    id,
    ...(name ? { name } : {}),
    scope: parseScope(scope)!,
    status: sessionStates.find((status) => words.includes(status)) ?? 'active',
    isGraded: words.includes('graded'),
    startedBy: by < 0 ? 'tester' : words[by + 1]!,
    startedAt: createdAt,
    updatedAt: createdAt,
  };
}

function parseToken(line: string): Token {
  const [, name = '', scope] = line.split(' ');
  return { name, hash: `of ${name}`, scope: scope as Token['scope'], createdAt, createdBy: 'world' };
}

const sessionStates = ['active', 'suspended', 'ended'] as const;

async function insertMemory({ memory }: WriteStore, line: string): Promise<void> {
  const [head = '', content = ''] = line.split(/:\s+(.*)/s);
  const [, type, ...words] = head.trim().split(/\s+/);
  const after = (word: string): string | undefined => (words.includes(word) ? words[words.indexOf(word) + 1] : undefined);
  const [id = ''] = await memory.nextIds(type as MemoryType, 1);
  const state: ConfirmationState = confirmationStates.find((one) => words.includes(one)) ?? 'proposed';
  await memory.insertMany([
    {
      id,
      type: type as MemoryType,
      title: content.split('\n')[0]!,
      content,
      digest: hashMemory(type as MemoryType, content),
      state,
      ...(state === 'proposed' ? {} : { decidedBy: 'world', decidedAt: createdAt }),
      ...(after('in') ? { sessionId: after('in')! } : {}),
      agentId: after('by') ?? 'world',
      createdAt,
      tags: after('tags')?.split(',') ?? [],
      tasks: after('about')?.split(',') ?? [],
    },
  ]);
  await memory.saveCitations('memory', id, findCitations(content));
}
