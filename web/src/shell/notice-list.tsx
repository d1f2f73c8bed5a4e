import { CopyCommand } from '../components/copy-command.tsx';
import { Icon, type IconName } from '../components/icon.tsx';
import { dismissNotice, type Notice, notices } from '../state/notices.ts';
import { useStore } from '../state/store.ts';

const icons: Record<Notice['kind'], IconName> = { done: 'check', failed: 'warning', info: 'clock' };

export function NoticeList() {
  const all = useStore(notices);
  return (
    <div class="notices" aria-live="polite" role="status">
      {all.map(({ id, kind, text, fix }) => (
        <div key={id} class={`notice ${kind}`}>
          <Icon name={icons[kind]} />
          <div>
            <p class="text">{text}</p>
            {fix && <CopyCommand command={fix} />}
          </div>
          <button type="button" class="button quiet small icon-only" aria-label="Dismiss" onClick={() => dismissNotice(id)}>
            <Icon name="close" size={12} />
          </button>
        </div>
      ))}
    </div>
  );
}
