import { expect, test } from 'vitest';
import { describeParams } from '../../src/core/command-line.ts';
import { registry } from '../../src/core/index.generated.ts';
import { asPerson, openApp } from '../app.ts';
import { needsPerson } from '../person-token.ts';

const operations = await Promise.all(registry.entries.map((entry) => entry.load()));
/** The parameters that take ids of tasks, each with the call of the example. */
const params = operations.flatMap((operation) =>
  describeParams(operation.params)
    .filter(({ value }) => value === 'T###')
    .map((shape) => [`${operation.name} ${shape.name}`, operation, shape] as const),
);

/** Calls the example with another id in one parameter. */
async function callWith(id: string, world: string[], [, operation, { name, type }]: (typeof params)[number]) {
  const app = await openApp({ tasks: [...(operation.example.world ?? []), ...world] });
  const given = { ...operation.example.call, [name]: type === 'list' ? [id] : id };
  return app.reply(operation.name, given, needsPerson(operation) ? asPerson : {});
}

/** Parameters for which an unknown task has another exit code than 4: a parent, a run of skills, a filter, a removal that finds nothing to
 *  remove, and a parameter that excludes another one of the example. */
const otherCodes: Record<string, number> = {
  'admin.log task': 100,
  'construct.run task': 66,
  'docs.remove task': 102,
  'research.list task': 100,
  'research.unlink taskId': 102,
  'skills.run task': 66,
  'sync.github push': 8,
  'tasks.add parent': 10,
  'tasks.exists taskId': 100,
  'tasks.update parent': 10,
  'tasks.update removeDepends': 0,
  'work.stop taskId': 2,
};

test.each(params)('%s: a task that does not exist is reported', async (...row) => {
  const { exitCode, error } = await callWith('T999', [], row);
  expect(exitCode).toBe(otherCodes[row[0]] ?? 4);
  if (exitCode === 4) expect(error).toMatchObject({ code: 'E_NOT_FOUND', details: { id: 'T999' } });
});

/** Parameters that need an epic or a saga, and the exit code for a task. Others accept any task with children. */
const containerCodes: Record<string, number> = {
  'lifecycle.check epicId': 6,
  'lifecycle.complete epicId': 6,
  'lifecycle.fail epicId': 6,
  'lifecycle.reset epicId': 6,
  'lifecycle.skip epicId': 6,
  'lifecycle.start epicId': 6,
  'lifecycle.status epicId': 6,
  'orchestrate.spawn-batch epic': 63,
  'orchestrate.start epic': 33,
  'saga.add sagaId': 13,
  'saga.add epicId': 13,
  'saga.members sagaId': 6,
  'saga.rollup sagaId': 6,
};

test.each(params.filter(([name]) => name in containerCodes))('%s: a plain task is rejected', async (...row) => {
  expect((await callWith('T099', ['T099'], row)).exitCode).toBe(containerCodes[row[0]]);
});
