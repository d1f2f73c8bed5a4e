/** True for a setting that decides which server the store is on. An untrusted one rejects every call that would open the store. */
export const locatesStore = (key: string): boolean => /^(store\.(url|listenUrl|engine)$|server\.)/.test(key);
