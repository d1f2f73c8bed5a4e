/** Parameters that a person edits as text: one line for each field, then the body. */
export interface EditorForm {
  /** The names of parameters, in the order of the lines. */
  fields: string[];
  /** The parameter below the lines. */
  body: string;
  /** Fields that the value `none` clears. */
  clearable: string[];
  /** The record that the call changes. Without it the call creates one. */
  record?: {
    /** The query that reads the record by the first argument, and the one that reads the record if there is no argument. */
    read: string;
    readDefault: string;
    /** Names of fields in the record, where they differ from the parameters. */
    names: Record<string, string>;
    /** The parameter that takes the revision of the record, so that the changes of others are not lost. */
    revision: string;
  };
}
