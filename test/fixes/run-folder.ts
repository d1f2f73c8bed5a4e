import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Read once, because a test may set another folder for temporary files. */
export const tempFolder = tmpdir();

/** The files of one test run, shared by its processes. The main process of vitest identifies the run. */
export const getRunFolder = (run: number): string => join(tempFolder, `cleo-fixes-${run}`);
