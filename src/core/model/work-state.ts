/** The state or the outcome of a task of `cleo work`, or of several, in words. */
export const formatWorkState = (state: string, count = 1): string =>
  state === 'attention' ? `need${count === 1 ? 's' : ''} attention` : state;
