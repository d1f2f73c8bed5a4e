/** How the reason of a task begins that is blocked because it waits for other projects. Apart from the rest, since every start asks. */
export const waitPrefix = 'waits for ';

/** Whether a reason may be such a one; the store knows for certain. */
export const isWaitText = (text: string | undefined): boolean => text?.startsWith(waitPrefix) === true && text.includes(':T');
