/** Prefix of `blockedBy` for a task that waits for tasks of other projects. In a file of its own, because every start loads it. */
export const waitPrefix = 'waits for ';

/** Cheap test before the store is read; a person may have written the same words. */
export const isWaitText = (text: string | undefined): boolean => text?.startsWith(waitPrefix) === true && text.includes(':T');
