/** Topics of `help` in addition to operations and commands. */
export const helpTopics = ['exit-codes', 'skill-exit-codes'] as const;
