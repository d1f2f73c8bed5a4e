/** A named key, or the text of a character key. */
export type Key = { key: KeyName } | { text: string };

export type KeyName =
  | 'up'
  | 'down'
  | 'left'
  | 'right'
  | 'home'
  | 'end'
  | 'pageUp'
  | 'pageDown'
  | 'enter'
  | 'escape'
  | 'tab'
  | 'backTab'
  | 'backspace'
  | 'clear'
  | 'redraw'
  | 'suspend'
  | 'interrupt';

const controlKeys: Record<string, KeyName> = {
  '\r': 'enter',
  '\n': 'enter',
  '\t': 'tab',
  '\u007f': 'backspace',
  '\b': 'backspace',
  '\u0003': 'interrupt',
  '\u000c': 'redraw',
  '\u0015': 'clear',
  '\u001a': 'suspend',
};

/** Keys by the text after `ESC [` or `ESC O`. */
const sequenceKeys: Record<string, KeyName> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  H: 'home',
  F: 'end',
  '1~': 'home',
  '7~': 'home',
  '4~': 'end',
  '8~': 'end',
  '5~': 'pageUp',
  '6~': 'pageDown',
  Z: 'backTab',
};

/** A complete escape sequence, and the beginning of one. */
const wholeSequence = /^\u001b(?:\[([0-9;?<=>]*[ -/]*[@-~])|O([ -~]))/;
const partialSequence = /^\u001b(?:\[[0-9;?<=>]*[ -/]*|O)?$/;

/** Parses terminal input into keys. An incomplete sequence is returned in `rest`, to be put before the next input; with `isAll` it is
 *  the escape key. Unknown sequences are ignored. */
export function parseKeys(input: string, isAll = false): { keys: Key[]; rest: string } {
  const keys: Key[] = [];
  let left = input;
  while (left !== '') {
    const sequence = wholeSequence.exec(left);
    if (sequence) {
      const key = sequenceKeys[sequence[1] ?? sequence[2] ?? ''];
      if (key) keys.push({ key });
      left = left.slice(sequence[0].length);
      continue;
    }
    if (!isAll && partialSequence.test(left)) return { keys, rest: left };
    const [character = ''] = left;
    const control = controlKeys[character];
    if (character === '\u001b') keys.push({ key: 'escape' });
    else if (control) keys.push({ key: control });
    else if (character >= ' ' && !/[\u007f-\u009f]/.test(character)) keys.push({ text: character });
    left = left.slice(character.length);
  }
  return { keys, rest: '' };
}
