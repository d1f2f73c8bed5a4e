import { onTestFinished } from 'vitest';

/** Sets the time zone of this process until the test ends. */
export function setTimeZone(zone: string): void {
  const before = process.env.TZ;
  process.env.TZ = zone;
  onTestFinished(() => {
    if (before === undefined) delete process.env.TZ;
    else process.env.TZ = before;
  });
}
