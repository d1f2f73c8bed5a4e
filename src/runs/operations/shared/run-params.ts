import { array, boolean, check, custom, description, maxLength, metadata, optional, picklist, pipe, string } from 'valibot';
import { TaskId } from '#core/model/scalars.ts';
import { wholeNumber } from '#core/model/whole-number.ts';
import { isPlainObject } from '#lib/is-plain-object.ts';
import { isDeeperThan, maxDepth } from '../../rules/primary-output.ts';

const text = (about: string, value: string) =>
  optional(pipe(string(), maxLength(4096, 'must have at most 4096 characters'), description(about), metadata({ value })));
export const maxMs = 86_400_000;
const milliseconds = (about: string) => optional(pipe(wholeNumber({ min: 0, max: maxMs }), description(about), metadata({ value: 'MS' })));

/** Parameters of both `construct run` and `skill run`. */
export const runParams = {
  project: text('Value of {project} in paths', 'NAME'),
  var: optional(pipe(array(string()), description('Value of {name} in paths'), metadata({ value: 'NAME=VALUE' }))),
  intent: text('Purpose of the run in one sentence, for the selection and goal gates', 'TEXT'),
  task: optional(pipe(TaskId, description('Task of the run; its title is the default intent'))),
  input: optional(
    pipe(
      // Not a `record`, which accepts arrays and drops keys such as prototype.
      custom<Record<string, unknown>>(isPlainObject, 'must be a JSON object'),
      check((value) => !isDeeperThan(value, maxDepth), `must not be nested deeper than ${maxDepth}`),
      description('Inputs of the skill: a JSON object, in a file or on standard input'),
      metadata({ value: 'FILE', jsonSchema: { type: 'object' } }),
    ),
  ),
  resume: text('Resume this run: executions that succeeded and have not changed are skipped', 'RUN'),
  dryRun: optional(pipe(boolean(), description('Check the manifest, the skills and the first phase without running anything'))),
  force: optional(
    pipe(
      string(),
      maxLength(64, 'must have at most 64 characters'),
      description('Let a gate pass (selection, precondition, output, goal or manifest); recorded, and costs points'),
      metadata({ value: 'GATE' }),
    ),
  ),
  reason: text('Reason for --force', 'TEXT'),
  timeout: milliseconds('Timeout of one attempt; 0 means none'),
  cached: optional(pipe(boolean(), description('Reuse results of earlier runs with the same skill and inputs'))),
  wait: milliseconds('Time to wait for another run of the same construct'),
  capture: optional(pipe(picklist(['none', 'hashed', 'full']), description('Form of the inputs in traces'))),
  noJudgeCache: optional(pipe(boolean(), description('Do not use cached answers of the judge'))),
};

export const readsInput = { input: { flag: 'input', as: 'json' as const } };
