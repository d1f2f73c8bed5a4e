import type { Result } from '../../api/operations.generated.ts';
import { Markdown } from '../../components/markdown.tsx';
import { Panel } from '../../components/panel.tsx';
import { TaskLink } from '../../components/task-id.tsx';
import { getRecordUrl } from '../../routes.ts';

type Handoff = NonNullable<Result<'session.show'>['session']['handoff']>;

/** What a session leaves for the agent that continues: the note, and tasks by their outcome. */
export function HandoffPanel({ handoff }: { handoff: Handoff }) {
  const { note, done, open, blocked, decisions, next, parts = [] } = handoff;
  return (
    <Panel title="Handoff">
      {note && (
        <div class="handoff-note">
          <Markdown text={note} />
        </div>
      )}
      <TaskGroup title="Done" tasks={done} />
      <TaskGroup title="Open" tasks={open} />
      <TaskGroup title="Blocked" tasks={blocked} />
      <TaskGroup title="Next" tasks={next} />
      {decisions.length > 0 && (
        <section class="handoff-group">
          <h3>Decisions</h3>
          <ul>
            {decisions.map((decision, i) => (
              <li key={i}>
                {'id' in decision ? (
                  <a class="task-link" href={getRecordUrl('memory', decision.id)}>
                    <span class="task-id">{decision.id}</span>
                    <span class="line">{decision.title}</span>
                  </a>
                ) : (
                  <>
                    <TaskLink id={decision.taskId} /> <span class="text">{decision.text}</span>
                  </>
                )}
              </li>
            ))}
          </ul>
        </section>
      )}
      {parts.map((part) => (
        <section key={part.agent + part.at} class="handoff-group">
          <h3>Left by {part.agent}</h3>
          {part.note && <Markdown text={part.note} />}
          <ul>
            {[...part.done, ...part.open].map(({ id, title }) => (
              <li key={id}>
                <TaskLink id={id} title={title} />
              </li>
            ))}
          </ul>
        </section>
      ))}
    </Panel>
  );
}

const TaskGroup = ({ title, tasks }: { title: string; tasks: { id: string; title: string; blockedBy?: string | undefined }[] }) =>
  tasks.length === 0 ? null : (
    <section class="handoff-group">
      <h3>
        {title} <span class="count">{tasks.length}</span>
      </h3>
      <ul>
        {tasks.map((task) => (
          <li key={task.id}>
            <TaskLink id={task.id} title={task.title} />
            {task.blockedBy && <span class="text muted">{task.blockedBy}</span>}
          </li>
        ))}
      </ul>
    </section>
  );
