import type { BrowserContext, Page, Request } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import { connectBrowser } from './connect-browser.ts';
import { type ServedProject, serveProject } from './served-project.ts';

export interface PageOptions {
  path?: string;
  /** Opens the page without the secret, so that it can only read. */
  isReadOnly?: boolean;
  colorScheme?: 'light' | 'dark';
  viewport?: { width: number; height: number };
  context?: BrowserContext;
  /** The test breaks the policy of the page itself. */
  allowsViolations?: boolean;
}

export interface TestSite {
  project: ServedProject;
  /** Opens the page in a browser of its own. The test fails if a script of the page throws. */
  open(options?: PageOptions): Promise<Page>;
  openContext(options?: PageOptions): Promise<BrowserContext>;
}

/** Serves one project for all tests of a file. The server ends with the file, also when a test fails. */
export function useSite(
  fill: (project: ServedProject) => Promise<void> = async () => {},
  options?: Parameters<typeof serveProject>[0],
): TestSite {
  const site = { project: undefined as unknown as ServedProject } as TestSite;
  beforeAll(async () => {
    site.project = await serveProject(options);
    await fill(site.project);
  });
  afterAll(() => site.project?.close());
  site.openContext = async ({ colorScheme = 'light', viewport = { width: 1280, height: 800 } } = {}) => {
    const context = await (await connectBrowser()).newContext({ colorScheme, viewport, reducedMotion: 'reduce' });
    onTestFinished(() => context.close());
    return context;
  };
  site.open = async (asked = {}) => {
    const page = await (asked.context ?? (await site.openContext(asked))).newPage();
    page.setDefaultTimeout(15_000);
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('console', (message) => {
      if (!asked.allowsViolations && /Content Security Policy|Trusted/i.test(message.text())) errors.push(message.text());
    });
    onTestFinished(() => expect(errors).toEqual([]));
    const { path = '/', isReadOnly = false } = asked;
    const secret = new URL(site.project.page).hash;
    await page.goto(site.project.url + path + (isReadOnly ? '' : secret));
    if (!isReadOnly) await page.getByText('Live', { exact: false }).first().waitFor();
    return page;
  };
  return site;
}

/** Opens another view as a link does, without loading the page again. The view before is gone when it returns. */
export async function openPath(page: Page, path: string): Promise<void> {
  await page.evaluate(async (url) => {
    const view = document.querySelector('main > :last-child');
    const isSamePath = new URL(url, location.href).pathname === location.pathname;
    history.pushState(null, '', url);
    dispatchEvent(new PopStateEvent('popstate'));
    do await new Promise(requestAnimationFrame);
    while (!isSamePath && view?.isConnected);
  }, path);
}

/** Returns a function that waits until no call of an operation is open. */
export function countCalls(page: Page): () => Promise<void> {
  let open = 0;
  const isCall = (request: Request): boolean => /\/api\/(query|mutate)\//.test(request.url());
  page.on('request', (request) => {
    if (isCall(request)) open++;
  });
  for (const event of ['requestfinished', 'requestfailed'] as const)
    page.on(event as 'requestfinished', (request) => {
      if (isCall(request)) open--;
    });
  return async () => {
    do await page.waitForTimeout(30);
    while (open > 0);
  };
}
