/** The name of callers over HTTP without a token. It has a file of its own, so that commands need not load the schemas of tokens. */
export const anonymousToken = 'http';
