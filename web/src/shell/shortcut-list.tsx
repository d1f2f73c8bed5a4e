import { Dialog } from '../components/dialog.tsx';
import { shortcutGroups } from '../state/shortcuts.ts';
import { useStore } from '../state/store.ts';

/** Lists the shortcuts of the page and of the view on the screen. */
export function ShortcutList({ onClose }: { onClose: () => void }) {
  const groups = useStore(shortcutGroups);
  return (
    <Dialog title="Shortcuts" onClose={onClose}>
      {groups.map(({ title, shortcuts }) => (
        <section key={title} class="shortcut-group">
          <h3>{title}</h3>
          <dl>
            {shortcuts.map(({ keys, about }) => (
              <div key={keys}>
                <dt>
                  {keys.split(' ').map((key) => (
                    <kbd key={key}>{key}</kbd>
                  ))}
                </dt>
                <dd>{about}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </Dialog>
  );
}
