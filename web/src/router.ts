import { createStore, useStore } from './state/store.ts';

export interface Address {
  path: string;
  params: URLSearchParams;
}

const readAddress = (): Address => ({ path: location.pathname, params: new URLSearchParams(location.search) });

export const address = createStore<Address>(readAddress());

/** Opens an address of this page. */
export function navigate(url: string, { replace = false }: { replace?: boolean } = {}): void {
  if (url === location.pathname + location.search) return;
  if (replace) history.replaceState(null, '', url);
  else history.pushState(null, '', url);
  address.set(readAddress());
  if (!replace) scrollTo(0, 0);
}

/** Follows the links of the page without loading it again. */
export function startRouter(): void {
  addEventListener('popstate', () => address.set(readAddress()));
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = event.target instanceof Element ? event.target.closest('a') : undefined;
    if (!link || link.target || link.origin !== location.origin || link.hasAttribute('download')) return;
    event.preventDefault();
    navigate(link.pathname + link.search);
  });
}

/** Reads and writes one filter in the address. The empty text removes it. */
export function useParam(name: string, initial = ''): [value: string, set: (value: string) => void] {
  const value = useStore(address, ({ params }) => params.get(name) ?? initial);
  return [value, (next) => setParams({ [name]: next === initial ? '' : next })];
}

export function setParams(changes: Record<string, string>): void {
  const params = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === '') params.delete(name);
    else params.set(name, value);
  }
  const text = params.toString();
  navigate(location.pathname + (text ? `?${text}` : ''), { replace: true });
}

/** Matches a path with a pattern such as `/task/:id`. */
export function matchPath(pattern: string, path: string): Record<string, string> | undefined {
  const expected = pattern.split('/');
  const parts = path.replace(/(?<=.)\/$/, '').split('/');
  if (expected.length !== parts.length) return undefined;
  const values: Record<string, string> = {};
  for (const [i, part] of expected.entries()) {
    if (part.startsWith(':')) values[part.slice(1)] = decodeText(parts[i]!);
    else if (part !== parts[i]) return undefined;
  }
  return values;
}

function decodeText(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
