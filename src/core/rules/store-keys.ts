/** True for a setting that decides which server the store is on. An untrusted one rejects every call that would open the store. */
export const locatesStore = (key: string): boolean => storeKeys.includes(key) || key.startsWith('server.');

const storeKeys = ['store.url', 'store.listenUrl', 'store.engine'];
