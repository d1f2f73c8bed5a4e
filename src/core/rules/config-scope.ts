/** Keys that agents may change. Every other key needs a person: a new key is closed until it is listed here. */
const openKeys = ['lifecycleEnforcement.mode', 'docs.types'];
const openPrefixes = ['hierarchy.', 'context.'];

/** The scope that a change of a configuration key requires. */
export const getConfigScope = (key: string): 'mutate' | 'admin' =>
  openKeys.includes(key) || openPrefixes.some((prefix) => key.startsWith(prefix)) ? 'mutate' : 'admin';
