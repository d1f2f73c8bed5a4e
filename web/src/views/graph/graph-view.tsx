import './graph.css';
import { useMemo } from 'preact/hooks';
import { CopyCommand } from '../../components/copy-command.tsx';
import { EmptyState, ErrorNote, LoadingLines } from '../../components/states.tsx';
import { toTaskUrl } from '../../components/task-id.tsx';
import { navigate, setParams, useParam } from '../../router.ts';
import { useShortcuts } from '../../state/shortcuts.ts';
import { listIndexedIds, useIndexTask } from '../../state/task-index.ts';
import { useQuery } from '../../state/use-query.ts';
import { GraphCanvas } from './graph-canvas.tsx';
import { GraphHead } from './graph-head.tsx';
import { GraphPanel } from './graph-panel.tsx';
import { buildHighlight, emphases } from './highlight.ts';
import type { LayoutInput } from './layout.ts';
import { buildScene, type SceneTask } from './scene.ts';
import { describeTask, listInOrder } from './task-order.ts';
import { useLayout } from './use-layout.ts';

/** Dependencies in waves from left to right. */
export function GraphView() {
  const [epic] = useParam('epic');
  const [done] = useParam('done');
  const [text] = useParam('text');
  const [show] = useParam('show', 'all');
  const [chosen, setChosen] = useParam('task');
  const [only] = useParam('only');
  const selected = chosen || undefined;
  const isOnly = only !== '' && selected !== undefined;
  // The chain of a done task contains a done task.
  const isDone = useIndexTask(isOnly ? selected : undefined)?.status === 'done';
  const emphasis = emphases.find((each) => each === show) ?? 'all';

  const {
    data: found,
    failure,
    reload,
  } = useQuery(
    'orchestrate.graph',
    { ...(epic ? { epic } : {}), ...(done || isDone ? { all: true } : {}), ...(isOnly ? { task: selected } : {}) },
    { isAffected: (change) => listIndexedIds([change]).length > 0 },
  );
  // Without dependencies the longest path is any task.
  const data = useMemo(() => (found?.edges.length === 0 ? { ...found, criticalPath: [] } : found), [found]);
  const { layout, scope, hasFailed } = useLayout(
    [epic, done, isOnly ? selected : ''].join(' '),
    useMemo(() => data && toLayoutInput(data.nodes, data.edges), [data]),
  );
  const tasks = useMemo(() => new Map(data?.nodes.map((node) => [node.id, node])), [data]);
  const scene = useMemo(() => layout && buildScene(layout, tasks), [layout, tasks]);
  const matches = useMemo(() => findMatches(tasks, text), [tasks, text]);
  const highlight = useMemo(
    () => data && layout && buildHighlight({ ...data, layout, selected, emphasis, matches }),
    [data, layout, selected, emphasis, matches],
  );
  const listed = useMemo(() => (layout ? listInOrder(layout, tasks, matches ?? highlight?.lit) : []), [layout, tasks, matches, highlight]);

  const select = (id: string | undefined): void => (id === undefined ? setParams({ task: '', only: '' }) : setChosen(id));
  const open = (id: string): void => navigate(toTaskUrl(id));
  const order = useMemo(() => (layout ? listInOrder(layout, tasks, matches) : []), [layout, tasks, matches]);
  const move = (step: number): void => {
    const at = order.findIndex(({ id }) => id === selected);
    const next = order[at < 0 ? 0 : Math.max(0, Math.min(order.length - 1, at + step))];
    if (next) select(next.id);
  };
  useShortcuts('Graph', [
    { keys: 'j', about: 'Next task, wave by wave', run: () => move(1) },
    { keys: 'k', about: 'Previous task', run: () => move(-1) },
    { keys: 'Enter', about: 'Open the task', run: () => selected && open(selected) },
    { keys: 'o', about: 'Only the chain of the task', run: () => selected && setParams({ only: isOnly ? '' : 'chain' }) },
    { keys: 'f', about: 'Find a task', run: () => document.getElementById('graph-text')?.focus() },
    { keys: 'Escape', about: 'Show all tasks again', run: () => select(undefined) },
  ]);

  const head = (
    <GraphHead data={data} matches={matches?.size} emphasis={emphasis} onFind={() => move(selected && matches?.has(selected) ? 1 : 0)} />
  );
  if (failure)
    return (
      <>
        {head}
        <ErrorNote failure={failure} onRetry={reload} />
        {(epic || isOnly) && (
          <button type="button" class="button graph-reset" onClick={() => setParams({ epic: '', only: '', task: '' })}>
            Show all tasks
          </button>
        )}
      </>
    );
  if (hasFailed)
    return (
      <EmptyState title="The graph could not be laid out" isView>
        Reload the page to try again.
      </EmptyState>
    );
  if (!data || !scene || !highlight) return <LoadingLines count={8} />;
  const selectedTask = selected === undefined ? undefined : tasks.get(selected);
  return (
    <>
      {head}
      {scene.layout.nodes.length === 0 ? (
        <EmptyState title="No open tasks" commands={['cleo add "Write the lexer"', 'cleo add "Parse expressions" --depends T001']}>
          A task that depends on another one is drawn in a later wave:
        </EmptyState>
      ) : (
        <>
          {data.edges.length === 0 && (
            <p class="graph-note muted">
              No task depends on another one yet. Choose a task to add a dependency, or run
              <CopyCommand command="cleo update T002 --add-depends T001" />
            </p>
          )}
          <div class="graph-body">
            <GraphCanvas
              key={scope}
              scene={scene}
              highlight={highlight}
              label={`Dependencies of ${scene.layout.nodes.length} tasks. Arrow keys move between tasks, Shift with arrow keys moves the graph, plus and minus zoom.`}
              onSelect={select}
              onOpen={open}
            />
            <GraphPanel data={data} tasks={tasks} listed={listed} selected={selected} isOnly={isOnly} onSelect={select} />
          </div>
          <p class="graph-announcement visually-hidden" role="status">
            {selectedTask && describeTask(selectedTask, data.edges)}
          </p>
        </>
      )}
    </>
  );
}

const toLayoutInput = (nodes: SceneTask[], edges: [string, string][]): LayoutInput => ({
  nodes: nodes.map(({ id, status, type, wave, parentId }) => ({
    id,
    isDone: status === 'done',
    isContainer: type === 'epic' || type === 'saga',
    wave,
    parentId,
  })),
  edges,
});

/** Finds the tasks whose id and title contain all words of a text; undefined without a text. */
function findMatches(tasks: Map<string, SceneTask>, text: string): Set<string> | undefined {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return undefined;
  const contains = ({ id, title }: SceneTask): boolean => words.every((word) => `${id} ${title}`.toLowerCase().includes(word));
  return new Set([...tasks.values()].filter(contains).map(({ id }) => id));
}
