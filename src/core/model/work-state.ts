/** The state or the outcome of a task of `cleo work` in words. */
export const formatWorkState = (state: string): string => (state === 'attention' ? 'needs attention' : state);
