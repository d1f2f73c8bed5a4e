import {
  array,
  boolean,
  check,
  custom,
  description,
  integer,
  maxLength,
  maxValue,
  metadata,
  minValue,
  number,
  optional,
  picklist,
  pipe,
  string,
} from 'valibot';
import { TaskId } from '#core/model/scalars.ts';
import { isMap } from '#lib/is-map.ts';
import { deepest, isDeeperThan } from '../../rules/primary.ts';

const text = (about: string, value: string) =>
  optional(pipe(string(), maxLength(4096, 'must have at most 4096 characters'), description(about), metadata({ value })));
export const longestMs = 86_400_000;
const milliseconds = (about: string) =>
  optional(
    pipe(
      number(),
      integer('must be a whole number'),
      minValue(0, 'must not be negative'),
      maxValue(longestMs, `must be at most ${longestMs}`),
      description(about),
      metadata({ value: 'MS' }),
    ),
  );

/** What a run of a construct and a run of one skill are both told. */
export const runParams = {
  project: text('The name that {project} stands for in paths', 'NAME'),
  var: optional(pipe(array(string()), description('What {name} stands for in paths'), metadata({ value: 'NAME=VALUE' }))),
  intent: text('What it is for, in a sentence: the gates of selection and goal judge by it', 'TEXT'),
  task: optional(pipe(TaskId, description('The task it is for; its title is the intent'))),
  input: optional(
    pipe(
      // Not a record: that would pass lists, and leave out fields with names such as prototype.
      custom<Record<string, unknown>>(isMap, 'must be a JSON object'),
      check((value) => !isDeeperThan(value, deepest), `must not be nested deeper than ${deepest}`),
      description('What the skill is given: a JSON object, in a file or on standard input'),
      metadata({ value: 'FILE', jsonSchema: { type: 'object' } }),
    ),
  ),
  resume: text('Go on with this run: what succeeded and has not changed is not run again', 'RUN'),
  dryRun: optional(
    pipe(boolean(), description('Run nothing: check the manifest, that there is something to start, and what the first phase needs')),
  ),
  force: optional(
    pipe(
      string(),
      maxLength(64, 'must have at most 64 characters'),
      description('Let this gate pass whatever it says (selection, precondition, output, goal; manifest): recorded, and costs points'),
      metadata({ value: 'GATE' }),
    ),
  ),
  reason: text('Why, for --force', 'TEXT'),
  timeout: milliseconds('How long one attempt may take; 0: as long as it does'),
  cached: optional(pipe(boolean(), description('Do not run again what an earlier run did with the same skill and inputs'))),
  wait: milliseconds('How long to wait for another run of the same to end'),
  capture: optional(pipe(picklist(['none', 'hashed', 'full']), description('What traces keep of the inputs'))),
  noJudgeCache: optional(pipe(boolean(), description('Ask the judge again, even what it has been asked before'))),
};

export const readsInput = { input: { flag: 'input', as: 'json' as const } };
