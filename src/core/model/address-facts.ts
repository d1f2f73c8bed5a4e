export interface AddressFacts {
  /** The variable or setting that has the address. */
  source: string;
  /** The address is the user's own, not the project's. */
  isOwnAddress: boolean;
  environment: Record<string, string | undefined>;
  client: { argv: string[]; agent: string };
}
