import type { RE2JS } from 're2js';
import type { Surroundings } from '../../assessment/run.ts';
import { skillRefusal } from '../../errors/skill.ts';
import type { Construct } from '../../model/construct.ts';
import type { Ground } from '../../platform/ground-port.ts';
import type { JobContext } from '../define.ts';

/** What a run is given beside what it was asked for: how to end it, what to hide, whom to tell. */
export async function surroundingsOf(
  here: JobContext,
  ground: Ground,
  construct: Construct,
  schemas: Surroundings['schemas'],
): Promise<Surroundings & { stop(): void }> {
  const { redaction } = construct;
  // A schema that is none is told before anything runs, not when it is asked for the first time.
  for (const id of schemasIn(construct)) {
    const form = id === null ? undefined : schemas.json(id);
    if (form) schemas.check(form, null);
  }
  const patterns = redaction.patterns.length > 0 ? await patternsOf(redaction.patterns) : [];
  const { signal, stop } =
    here.gateway === 'cli' ? ground.interrupts() : { signal: here.signal ?? new AbortController().signal, stop: () => {} };
  return {
    ...{ signal, stop, schemas, patterns },
    observe: (event, data, about) => here.observe?.(event, data, { ...about }),
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

/** In linear time, whatever the user wrote. */
async function patternsOf(sources: string[]): Promise<Surroundings['patterns']> {
  const { RE2JS } = await import('re2js');
  return sources.map((source) => {
    try {
      return replacing(RE2JS.compile(source));
    } catch (error) {
      const problem = `assessment.redaction.patterns: ${JSON.stringify(source)} is no pattern: ${(error as Error).message}`;
      throw skillRefusal(78, problem, 'cleo construct validate', { pattern: source });
    }
  });
}

const replacing = (pattern: RE2JS): Surroundings['patterns'][number] => ({
  replace(text, by) {
    const matcher = pattern.matcher(text);
    let out = '';
    let at = 0;
    while (matcher.find()) {
      if (matcher.end() === matcher.start()) continue;
      out += text.slice(at, matcher.start()) + by(text.slice(matcher.start(), matcher.end()));
      at = matcher.end();
    }
    return out + text.slice(at);
  },
});
