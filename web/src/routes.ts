import type { ComponentType } from 'preact';
import type { IconName } from './components/icon.tsx';

/** Records that have an address of their own where a view shows them. */
export type RecordKind = 'memory' | 'document' | 'session' | 'run';

export interface Route {
  name: string;
  /** A pattern such as `/task/:id`; its values are the properties of the view. */
  path: string;
  title: string;
  /** Loads the code of the view, so that a first visit pays only for the view it opens. */
  load: () => Promise<ComponentType<Record<string, string>>>;
  /** Set for views in the navigation. */
  nav?: { icon: IconName; key: string };
  /** Set for the view of one record, whose path ends with `:id`. */
  record?: RecordKind;
  /** The view in the navigation that lists the records of this one, if it has another path. */
  listedIn?: string;
}

/** All views, in the order of the navigation. */
export const routes: Route[] = [
  {
    name: 'now',
    path: '/',
    title: 'Now',
    load: async () => (await import('./views/now/now-view.tsx')).NowView,
    nav: { icon: 'now', key: 'n' },
  },
  {
    name: 'board',
    path: '/board',
    title: 'Board',
    load: async () => (await import('./views/board/board-view.tsx')).BoardView,
    nav: { icon: 'board', key: 'b' },
  },
  {
    name: 'tree',
    path: '/tree',
    title: 'Tree',
    load: async () => (await import('./views/tree/tree-view.tsx')).TreeView,
    nav: { icon: 'tree', key: 't' },
  },
  {
    name: 'graph',
    path: '/graph',
    title: 'Graph',
    load: async () => (await import('./views/graph/graph-view.tsx')).GraphView,
    nav: { icon: 'graph', key: 'g' },
  },
  {
    name: 'task',
    path: '/task/:id',
    title: 'Task',
    load: async () => (await import('./views/task/task-view.tsx')).TaskView as ComponentType<Record<string, string>>,
  },
  {
    name: 'sessions',
    path: '/sessions',
    title: 'Sessions',
    load: async () => (await import('./views/sessions/sessions-view.tsx')).SessionsView,
    nav: { icon: 'sessions', key: 's' },
  },
  {
    name: 'session',
    path: '/sessions/:id',
    title: 'Session',
    load: async () => (await import('./views/sessions/session-view.tsx')).SessionView as ComponentType<Record<string, string>>,
    record: 'session',
  },
  {
    name: 'grades',
    path: '/grades',
    title: 'Grades',
    load: async () => (await import('./views/grades/grades-view.tsx')).GradesView,
    nav: { icon: 'grades', key: 'a' },
  },
  {
    name: 'grade',
    path: '/grades/:session',
    title: 'Grade',
    load: async () => (await import('./views/grades/grade-view.tsx')).GradeView as ComponentType<Record<string, string>>,
  },
  {
    name: 'runs',
    path: '/runs',
    title: 'Runs',
    load: async () => (await import('./views/runs/runs-view.tsx')).RunsView,
    nav: { icon: 'runs', key: 'r' },
  },
  {
    name: 'run',
    path: '/runs/:id',
    title: 'Run',
    load: async () => (await import('./views/runs/run-view.tsx')).RunView as ComponentType<Record<string, string>>,
    record: 'run',
  },
  {
    name: 'memory',
    path: '/memory',
    title: 'Memory',
    load: async () => (await import('./views/memory/memory-view.tsx')).MemoryView,
    nav: { icon: 'memory', key: 'm' },
  },
  {
    name: 'memory-entry',
    path: '/memory/:id',
    title: 'Memory',
    load: async () => (await import('./views/memory/memory-entry-view.tsx')).MemoryEntryView as ComponentType<Record<string, string>>,
    record: 'memory',
  },
  {
    name: 'document',
    path: '/documents/:id',
    title: 'Document',
    load: async () => (await import('./views/memory/document-view.tsx')).DocumentView as ComponentType<Record<string, string>>,
    record: 'document',
    listedIn: '/memory',
  },
  {
    name: 'log',
    path: '/log',
    title: 'Log',
    load: async () => (await import('./views/log/log-view.tsx')).LogView,
    nav: { icon: 'log', key: 'l' },
  },
];

/** Returns the address of a record; undefined if no view shows it. */
export const getRecordUrl = (kind: RecordKind, id: string): string | undefined =>
  routes.find(({ record }) => record === kind)?.path.replace(':id', encodeURIComponent(id));
