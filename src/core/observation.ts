import type { GenericSchema, InferOutput } from 'valibot';
import type { BaseContext } from './define.ts';

/** The context of an observation: the checkout and the machine of the caller, without a store. */
export type ObserveContext = Pick<
  BaseContext,
  'platform' | 'project' | 'config' | 'now' | 'token' | 'signal' | 'commandWith' | 'commandAs'
> & {
  /** The call is a dry run, which starts no program. */
  isDryRun: boolean;
};

/** Facts about the checkout or the machine of the caller, which `run` asks for with `getFacts`. They are observed without a transaction:
 *  in the process that has the store or, if the store is behind a server, on the client, which sends them. */
export interface Observation<Q = never, F = unknown> {
  /** Unique among the observations of an operation. */
  name: string;
  /** The request depends on the store. It contains everything that the facts depend on besides the checkout, so that a change of the
   *  store in between leads to another request and not to facts that no longer fit. */
  request: GenericSchema;
  /** The server validates facts of a client by it. */
  facts: GenericSchema;
  /** A server cannot ask for it: the client observes it only for requests that follow from the parameters of its caller. For contents
   *  of files, so that a server does not choose which ones it receives. */
  isByCaller?: true;
  /** It reads a few files only. The process that has the store observes it inside the transaction, because running the operation again
   *  would hold up other writers longer, and costs round trips on PostgreSQL. */
  isQuick?: true;
  observe(ctx: ObserveContext, request: Q): Promise<F>;
}

/** The context of `apply`: as for an observation, after the answer. */
export type ApplyContext = Omit<ObserveContext, 'isDryRun'>;

/** One request of an observation. */
export interface FactRequest {
  observation: Observation;
  request: unknown;
}

/** Defines an observation; see `Observation`. */
export const observation = <Q extends GenericSchema, F extends GenericSchema>(
  definition: { request: Q; facts: F } & Pick<Observation<InferOutput<Q>, InferOutput<F>>, 'name' | 'isByCaller' | 'isQuick' | 'observe'>,
): Observation<InferOutput<Q>, InferOutput<F>> => definition;

/** Creates the request of an observation, for `observeFirst` of an operation. */
export const requestFacts = <Q>(asked: Observation<Q, unknown>, request: Q): FactRequest => ({
  observation: asked,
  request,
});
