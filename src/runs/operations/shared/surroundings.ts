import type { JobContext } from '#core/define.ts';
import type { Ground } from '#platform/ground-port.ts';
import type { Construct } from '../../model/construct.ts';
import type { Surroundings } from '../../runner/run.ts';

/** What a run is given beside what it was asked for: how to end it, what to hide, whom to tell. */
export async function surroundingsOf(
  ctx: JobContext,
  ground: Ground,
  construct: Construct,
  schemas: Surroundings['schemas'],
): Promise<Surroundings & { stop(): void }> {
  const { redaction } = construct;
  // A schema that is none is told before anything runs, not when it is asked for the first time.
  for (const id of schemasIn(construct)) {
    const form = id === null ? undefined : (schemas.json(id) ?? schemas.document(id)?.frontMatter);
    if (form) schemas.check(form, null);
  }
  const patterns = redaction.patterns.length > 0 ? (await import('./patterns.ts')).patternsOf(redaction.patterns) : [];
  const { signal, stop } =
    ctx.gateway === 'cli' ? ground.interrupts() : { signal: ctx.signal ?? new AbortController().signal, stop: () => {} };
  return {
    ...{ signal, stop, schemas, patterns },
    observe: (event, data, about) => ctx.observe?.(event, data, { ...about }),
  };
}

const schemasIn = ({ phases, handoffs }: Construct): Set<string | null> =>
  new Set([
    ...phases.flatMap(({ inputs, outputs, gates }) => [
      ...[...inputs, ...outputs].map(({ schema }) => schema),
      gates.output.primarySchema ?? null,
    ]),
    ...handoffs.flatMap(({ required, optional }) => [...required, ...optional].map(({ schema }) => schema)),
  ]);
