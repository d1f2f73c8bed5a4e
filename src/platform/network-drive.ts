import { statfsSync } from 'node:fs';

/** Checks for a network file system. Only Linux says which one it is. */
export function isNetworkDrive(path: string): boolean {
  // Magic numbers of NFS, SMB, SMB2, CIFS, AFS and 9P on Linux.
  const magics = [0x6969, 0x517b, 0xfe534d42, 0xff534d42, 0x5346414f, 0x01021997];
  try {
    return process.platform === 'linux' && magics.includes(statfsSync(path).type);
  } catch {
    return false;
  }
}
