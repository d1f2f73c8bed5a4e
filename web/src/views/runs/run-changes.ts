/** Selects the changes after which runs are read again: the end of a run, its reviews and scores. */
export const isRunChange = ({ operation }: { operation: string }): boolean => /^(construct|skills|work|review|assess)\./.test(operation);
