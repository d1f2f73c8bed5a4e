import { array, maxLength, number, pipe } from 'valibot';
import type { Platform, Project } from '#platform/port.ts';
import type { ReadStore } from '#store/port/store.ts';
import type { SignedHead } from '../../model/signed-head.ts';
import { headsFile, parseHeads } from '../../rules/audit-heads.ts';
import { type LogProof, requireIntact, verifySignature } from './prove-log.ts';
import type { RecordSigner } from './sign-head.ts';

const maxHeads = 100;

/** The numbers of entries whose hashes the caller compares with its own heads. */
export const HeadNumbers = pipe(array(number()), maxLength(maxHeads, `must have at most ${maxHeads} numbers`));

/** Reads the last heads of this checkout that the key has signed. A client of a server compares the log with them, because a server must
 *  not choose what is signed. */
export async function readOwnHeads(platform: Platform, project: Project, { publicKey }: RecordSigner): Promise<SignedHead[]> {
  const { heads } = parseHeads(platform.files.readText(`${project.folder}/${headsFile}`) ?? '');
  // Heads of entries that were lost when a backup replaced the store no longer apply.
  const segment = heads.findLastIndex(({ kind }) => kind === 'segment');
  const applies = ({ seq }: SignedHead, i: number): boolean => seq > 0 && (i >= segment || seq <= heads[segment]!.seq);
  const own = heads.filter((head, i) => head.signer === publicKey && applies(head, i)).slice(-maxHeads);
  const valid = await Promise.all(own.map((head) => verifySignature(platform, head)));
  return own.filter((_, i) => valid[i]);
}

/** Returns the hashes of entries, in the order of their numbers; empty for one that does not exist. */
export async function readHashes({ audit }: ReadStore, numbers: number[]): Promise<string[]> {
  const hashes: string[] = [];
  for (const seq of numbers) {
    const [link] = await audit.listLinks(seq - 1, 1);
    hashes.push(link?.seq === seq ? link.hash : '');
  }
  return hashes;
}

/** Throws if the log is not the one that this checkout has signed before. A head of another store says nothing about this one. */
export function requireSameLog(proof: LogProof, heads: SignedHead[], hashes: string[]): void {
  const other = heads.find(({ replica, hash }, i) => replica === proof.replica && hash !== hashes[i]);
  if (other) requireIntact({ ...proof, broken: { seq: other.seq, problem: `is not the one that this checkout signed in ${headsFile}` } });
}
