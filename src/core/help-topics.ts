/** What `help` explains besides operations and commands. */
export const helpTopics = ['exit-codes', 'skill-exit-codes'] as const;
