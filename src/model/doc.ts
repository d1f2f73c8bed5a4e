/** A document as lists show it. */
export interface DocHit {
  slug: string;
  kind: string;
  title: string;
  version: number;
  updatedAt: string;
}
