import type { GenericSchema, InferOutput } from 'valibot';
import type { MutationContext, QueryContext } from './define.ts';

/** One read or write of the store by an operation that works with the checkout or the programs of its caller. In the process that has the
 *  store it is a transaction of its own. If the store is behind a server, the operation runs on the client, and each step is a request, so
 *  parameters and result are JSON, and `run` must not use the checkout. */
export interface StoreStep<P = never, R = unknown> {
  /** Unique among the steps of an operation. */
  name: string;
  kind: 'read' | 'write';
  params: GenericSchema;
  /** A write that may run twice, so that its answer is not stored in case the client sends it again. */
  isRepeatable?: true;
  /** A write that only renews claims. It may run twice, and needs no job that is running. */
  isLease?: true;
  run(ctx: never, params: P): Promise<R>;
}

type StepDefinition<C, P extends GenericSchema, R> = Pick<StoreStep, 'name' | 'isRepeatable' | 'isLease'> & {
  params: P;
  run(ctx: C, params: InferOutput<P>): Promise<R>;
};

/** Defines a read of an operation; see `StoreStep`. */
export const readStep = <P extends GenericSchema, R>(
  definition: StepDefinition<QueryContext, P, R>,
): StoreStep<InferOutput<P>, R> & { kind: 'read' } => ({ ...definition, kind: 'read' });

/** Defines a write of a job; see `StoreStep`. */
export const writeStep = <P extends GenericSchema, R>(definition: StepDefinition<MutationContext, P, R>): StoreStep<InferOutput<P>, R> => ({
  ...definition,
  kind: 'write',
});
