import chromium from '@sparticuz/chromium';
import { type BrowserServer, chromium as playwright } from 'playwright-core';

/** Starts Chromium from npm. It needs no system package; the sandbox of the browser needs rights that containers rarely have.
 *  The default arguments of the package are not used: they disable the same-origin policy, and they draw with a software GPU, which takes
 *  three quarters of the CPU time of a page. */
export async function launchBrowser(): Promise<BrowserServer> {
  return playwright.launchServer({
    executablePath: await chromium.executablePath(),
    args: ['--no-sandbox', '--disable-gpu', '--font-render-hinting=none', '--force-prefers-reduced-motion'],
    headless: true,
  });
}
