import { Icon, type IconName } from '../components/icon.tsx';
import { address, matchPath } from '../router.ts';
import { routes } from '../routes.ts';
import { connection } from '../state/connection.ts';
import { useStore } from '../state/store.ts';
import { setTheme, theme, themes } from '../state/theme.ts';

const themeIcons: Record<(typeof themes)[number], IconName> = { system: 'system', light: 'light', dark: 'dark' };
const statusText = { live: 'Live', connecting: 'Connecting', offline: 'Offline' };

/** The navigation: at the side of a wide window, below on a phone. */
export function Navigation({ onSearch, onShortcuts }: { onSearch: () => void; onShortcuts: () => void }) {
  const path = useStore(address, (value) => value.path);
  const current = routes.find((route) => matchPath(route.path, path));
  const section = current?.listedIn ?? current?.path.replace(/\/:id$/, '');
  const { identity, status } = useStore(connection);
  const chosen = useStore(theme);
  const next = themes[(themes.indexOf(chosen) + 1) % themes.length]!;
  return (
    <header class="navigation">
      <div class="project">
        <img src="/icon.svg" width="22" height="22" alt="" />
        <span class="line" title={identity?.project.name}>
          {identity?.project.name ?? 'CLEO'}
        </span>
      </div>
      <button type="button" class="search-button" onClick={onSearch} aria-label="Search">
        <Icon name="search" />
        <span>Search</span>
        <kbd>/</kbd>
      </button>
      <nav aria-label="Views">
        {routes.map(
          ({ nav, name, path: target, title }) =>
            nav && (
              <a key={name} href={target} aria-current={path === target ? 'page' : section === target ? 'true' : undefined}>
                <Icon name={nav.icon} />
                <span>{title}</span>
                <kbd>g {nav.key}</kbd>
              </a>
            ),
        )}
      </nav>
      <div class="nav-end">
        <span class={`connection ${status}`} role="status" title={identity && `${identity.store}, version ${identity.version}`}>
          <span class="signal" aria-hidden="true" />
          {statusText[status]}
          {identity && <span class="line muted">· {identity.caller.agent}</span>}
        </span>
        <span class="nav-buttons">
          <button
            type="button"
            class="button quiet icon-only"
            onClick={() => setTheme(next)}
            aria-label={`Theme: ${chosen}; switch to ${next}`}
            title={`Theme: ${chosen}`}
          >
            <Icon name={themeIcons[chosen]} />
          </button>
          <button type="button" class="button quiet icon-only" onClick={onShortcuts} aria-label="Shortcuts" title="Shortcuts (?)">
            <Icon name="keyboard" />
          </button>
        </span>
      </div>
    </header>
  );
}
