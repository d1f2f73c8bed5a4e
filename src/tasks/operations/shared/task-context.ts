import type { MutationContext, QueryContext } from '#core/define.ts';

/** Checks of the session's scope. */
export type ScopeContext = Pick<QueryContext, 'store' | 'session'>;

/** Recommendations of what to do next. */
export type RecommendContext = Pick<QueryContext, 'store' | 'session' | 'now' | 'config'>;

/** Checks of claims. */
export type ClaimContext = Pick<QueryContext, keyof RecommendContext | 'caller' | 'commandAs'>;

/** Status changes of a task. */
export type TransitionContext = Pick<MutationContext, keyof ClaimContext | 'platform' | 'project' | 'commandWith'>;

/** The author of a new task or note. */
export type AuthorContext = Pick<MutationContext, 'now' | 'caller'>;
