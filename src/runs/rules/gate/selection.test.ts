import { expect, test } from 'vitest';
import { selectionChecks } from './selection.ts';

const skill = (name: string, description: string, negativeTriggers: string[] = []) => ({
  name,
  description,
  triggers: [],
  negativeTriggers,
});
const known = [skill('bake', 'bake bread in an oven'), skill('cook', 'cook soup in a pot', ['in an oven'])];

test.each<[string, string, string, boolean, string[]]>([
  ['the best match', 'bake bread', 'bake', false, ['true bake fits best', 'true nothing speaks against it']],
  ['not the best match', 'bake bread', 'cook', false, ['false bake fits better than cook', 'true nothing speaks against it']],
  ['named by the user', 'bake bread', 'cook', true, ['true cook was named', 'true nothing speaks against it']],
  ['of nobody', 'mend socks', 'cook', false, ['true no skill speaks of it', 'true nothing speaks against it']],
  ['one that nobody knows', 'bake bread', 'knead', false, ['false bake fits better than knead', 'true nothing speaks against it']],
  ['not for this', 'cook soup in an oven', 'cook', false, ['true cook fits best', 'false cook is not for "in an oven"']],
])('whether it is the right skill: %s', (_, intent, chosen, isNamed, lines) => {
  expect(selectionChecks(intent, chosen, known, isNamed).map(({ passed, message }) => `${passed} ${message}`)).toEqual(lines);
});
