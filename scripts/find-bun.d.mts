export interface NativePlatform {
  os: string;
  cpu: string;
  libc?: string;
  bun: string;
}
export const nativePlatforms: NativePlatform[];
export function toPlatformName(platform: NativePlatform): string;
export function findPlatform(): NativePlatform | undefined;
export function findBun(): string | undefined;
export const executableName: string;
