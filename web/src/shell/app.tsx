import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { type CallFailure, toCallFailure } from '../api/call-failure.ts';
import { AskDialog } from '../components/ask-dialog.tsx';
import { EmptyState, ErrorNote, LoadingLines } from '../components/states.tsx';
import { address, matchPath, navigate } from '../router.ts';
import { type Route, routes } from '../routes.ts';
import { SearchDialog } from '../search/search-dialog.tsx';
import { useCanWrite } from '../state/actions.ts';
import { credentials } from '../state/credentials.ts';
import { useShortcuts } from '../state/shortcuts.ts';
import { useStore } from '../state/store.ts';
import { undoLastChange } from '../state/undo.ts';
import { Navigation } from './navigation.tsx';
import { NoticeList } from './notice-list.tsx';
import { ProofDialog } from './proof-dialog.tsx';
import { ShortcutList } from './shortcut-list.tsx';
import { StatusBanner } from './status-banner.tsx';
import { TokenPrompt } from './token-prompt.tsx';

/** The page: navigation, the view of the address, and what may lie above them. */
export function App() {
  const [overlay, setOverlay] = useState<'search' | 'shortcuts' | undefined>();
  const needsToken = useStore(credentials, (value) => value.needsToken === true);
  const canWrite = useCanWrite();
  useShortcuts('Everywhere', [
    { keys: '/', about: 'Search', run: () => setOverlay('search') },
    { keys: 'Ctrl+k', about: 'Search', run: () => setOverlay('search') },
    ...(canWrite ? [{ keys: 'z', about: 'Take back your last change', run: () => void undoLastChange() }] : []),
    { keys: '?', about: 'List the shortcuts', run: () => setOverlay('shortcuts') },
    ...routes.flatMap(({ nav, path, title }) => (nav ? [{ keys: `g ${nav.key}`, about: title, run: () => navigate(path) }] : [])),
  ]);
  if (needsToken) return <TokenPrompt />;
  return (
    <div class="app">
      <a class="skip-link" href="#main" onClick={focusMain}>
        Skip to the content
      </a>
      <Navigation onSearch={() => setOverlay('search')} onShortcuts={() => setOverlay('shortcuts')} />
      <main id="main" class="main" tabIndex={-1}>
        <StatusBanner />
        <CurrentView />
      </main>
      {overlay === 'search' && <SearchDialog onClose={() => setOverlay(undefined)} />}
      {overlay === 'shortcuts' && <ShortcutList onClose={() => setOverlay(undefined)} />}
      <AskDialog />
      <ProofDialog />
      <NoticeList />
    </div>
  );
}

function focusMain(event: Event): void {
  event.preventDefault();
  document.getElementById('main')?.focus();
}

interface LoadedView {
  route: Route;
  View?: ComponentType<Record<string, string>>;
  failure?: CallFailure;
}

function CurrentView() {
  const path = useStore(address, (value) => value.path);
  const found = routes.map((route) => ({ route, values: matchPath(route.path, path) })).find(({ values }) => values !== undefined);
  const [loaded, setLoaded] = useState<LoadedView | undefined>();
  const route = found?.route;
  useEffect(() => {
    if (!route) return;
    document.title = route.title;
    route.load().then(
      (View) => setLoaded({ route, View }),
      (error: unknown) => setLoaded({ route, failure: toCallFailure(error) }),
    );
  }, [route]);
  if (!found || !route)
    return (
      <div class="view">
        <EmptyState title="There is no such page" isView>
          <a class="button" href="/">
            Open Now
          </a>
        </EmptyState>
      </div>
    );
  if (loaded?.route !== route) return <LoadingLines />;
  if (loaded.failure) return <ErrorNote isView failure={loaded.failure} onRetry={() => location.reload()} />;
  return loaded.View ? <loaded.View key={path} {...found.values} /> : <LoadingLines />;
}
