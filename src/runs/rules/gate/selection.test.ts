import { expect, test } from 'vitest';
import { checkSelection } from './selection.ts';

const skill = (name: string, description: string, negativeTriggers: string[] = []) => ({
  name,
  description,
  triggers: [],
  negativeTriggers,
});
const known = [skill('bake', 'bake bread in an oven'), skill('cook', 'cook soup in a pot', ['in an oven'])];

test.each<[string, string, string, boolean, string[]]>([
  ['the best match', 'bake bread', 'bake', false, ['true bake is the best match', 'true no negative trigger matches']],
  ['not the best match', 'bake bread', 'cook', false, ['false bake matches better than cook', 'true no negative trigger matches']],
  ['named by the user', 'bake bread', 'cook', true, ['true cook was named', 'true no negative trigger matches']],
  ['no match', 'mend socks', 'cook', false, ['true no skill matches the intent', 'true no negative trigger matches']],
  ['an unknown skill', 'bake bread', 'knead', false, ['false bake matches better than knead', 'true no negative trigger matches']],
  ['a negative trigger', 'cook soup in an oven', 'cook', false, ['true cook is the best match', 'false cook is not for "in an oven"']],
])('checks the selection: %s', (_, intent, chosen, isNamed, lines) => {
  expect(checkSelection(intent, chosen, known, isNamed).map(({ passed, message }) => `${passed} ${message}`)).toEqual(lines);
});
