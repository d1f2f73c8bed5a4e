import { type Browser, chromium } from 'playwright-core';
import { inject } from 'vitest';

let connecting: Promise<Browser> | undefined;

/** Connects to the browser that the global set-up started. All files of a process share the connection, which ends with the process. */
export function connectBrowser(): Promise<Browser> {
  connecting ??= chromium.connect(inject('browserEndpoint'));
  return connecting;
}
