import chromium from '@sparticuz/chromium';
import { type BrowserServer, chromium as playwright } from 'playwright-core';

/** Starts Chromium from npm. It needs no system package; the sandbox of the browser needs rights that containers rarely have. */
export async function launchBrowser(): Promise<BrowserServer> {
  return playwright.launchServer({
    executablePath: await chromium.executablePath(),
    args: [
      ...chromium.args.filter((arg) => !/^--(single-process|no-zygote|headless)/.test(arg)),
      '--no-sandbox',
      '--force-prefers-reduced-motion',
    ],
    headless: true,
  });
}
