import type { Json } from '../../app.ts';

/** A call as people and models type it first, and what they mean by it. */
export interface Mistake {
  /** A command line without `cleo`, or the arguments of a gateway. */
  call: string | Json;
  /** The gateway of a call over MCP. */
  tool?: 'query' | 'mutate';
  /** The operation that is meant. */
  means: string;
  /** Part of the intended answer. */
  gives: Json;
}

/** The project in which each call is made. */
export const mistakeWorld = [
  'T001 epic: Parser',
  'T002 in T001: Write the lexer',
  'T003 labels api: Fix the login',
  'T004 done: Set up CI',
  'T005 blocked: Ship it',
];

export const cli = (means: string, gives: Json, ...lines: string[]): Mistake[] => lines.map((call) => ({ call, means, gives }));
export const query = (means: string, gives: Json, ...calls: Json[]): Mistake[] =>
  calls.map((call) => ({ call, tool: 'query', means, gives }));
export const mutate = (means: string, gives: Json, ...calls: Json[]): Mistake[] =>
  calls.map((call) => ({ call, tool: 'mutate', means, gives }));

/* Parts of the answers that several calls mean. */
export const shown = { task: { id: 'T003', title: 'Fix the login' } };
export const hit = { tasks: [{ id: 'T003' }] };
export const open = { tasks: [{ id: 'T001' }, { id: 'T002' }, { id: 'T003' }, { id: 'T005' }] };
export const all = { tasks: [{ id: 'T001' }, { id: 'T002' }, { id: 'T003' }, { id: 'T004' }, { id: 'T005' }] };
export const added = { task: { title: 'Fix crash' } };
export const isHigh = { task: { id: 'T003', priority: 'high' } };
export const isDone = { task: { id: 'T003', status: 'done' } };
export const isActive = { task: { id: 'T003', status: 'active' } };
export const noted = { task: { id: 'T003', notes: [{ text: 'Looks fine' }] } };
export const waits = { task: { id: 'T003', depends: ['T002'] } };
