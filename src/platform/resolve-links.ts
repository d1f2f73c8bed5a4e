import { realpathSync } from 'node:fs';

/** Returns the path without links. Node's own function looks at each folder of the path, and a server calls it for each write. The other one
 *  also changes the case of letters on macOS and Windows, where a project would get another record of trust. */
export const resolveLinks = (path: string): string => (process.platform === 'linux' ? realpathSync.native(path) : realpathSync(path));
