import type { Shortcut } from './cli-definition.ts';

/** Another name of an operation, as the generated list holds it. */
export interface Synonym {
  /** As callers of MCP and HTTP write it: `tasks.create`. */
  name: string;
  /** As the command line writes it: `create`. */
  command: string;
  /** The operation it means: `tasks.add`. */
  operation: string;
  shortcut?: Shortcut;
}
