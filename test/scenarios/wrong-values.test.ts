import { expect, test } from 'vitest';
import { describeParams, type ParamShape } from '../../src/core/command-line.ts';
import { registry } from '../../src/core/index.generated.ts';
import { asPerson, openApp } from '../app.ts';
import { checkReply } from '../faults/check-reply.ts';
import { needsPerson } from '../person-token.ts';

/** True for `npm run test:fixes`, which sends every value; `npm test` sends a sixth of them. */
const isFull = process.env.CLEO_FIXES === 'full';

const wrongValues: Record<ParamShape['type'], unknown[]> = {
  number: [-1, 1.5, 10 ** 9, 'many', '3 days', true, [], {}],
  flag: ['maybe', 3, '', [], {}],
  list: [5, {}, '', [''], [null], ['banana'], ['T999'], [['T001']]],
  text: ['', 7, true, {}, ['banana'], 'banana', 'T999', 'T1.5', '2026-13-40', '../x'],
};

// `openApp` follows the fix of each kind of error when the test ends, and fails if it leads nowhere.
test.each(registry.entries.map((entry, turn) => [entry.name, entry, turn] as const))(
  '%s: a value of the wrong type or out of range is an error whose fix leads out',
  async (name, entry, turn) => {
    const operation = await entry.load();
    const { example } = operation;
    const caller = needsPerson(operation) ? asPerson : {};
    const app = await openApp({ tasks: example.world ?? [], engine: 'sqlite' });
    const cases = describeParams(operation.params).flatMap((shape) => wrongValues[shape.type].map((value) => [shape.name, value] as const));
    let errors = 0;
    for (const [i, [param, value]] of cases.entries()) {
      if (!isFull && (i + turn) % 6 !== 0) continue;
      const reply = await app.reply(name, { ...example.call, [param]: value }, caller);
      checkReply(reply, `${name} ${param}: ${JSON.stringify(value)}`);
      if (reply.error) errors++;
    }
    if (isFull && cases.length > 0) expect(errors).toBeGreaterThan(0);
  },
);
