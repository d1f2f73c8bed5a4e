import { CopyCommand } from '../../components/copy-command.tsx';
import { Icon } from '../../components/icon.tsx';
import { Panel } from '../../components/panel.tsx';
import { useQuery } from '../../state/use-query.ts';

/** The findings of `doctor`, such as a broken chain of the log or stale claims. Reading them scans the log, so it is done rarely. */
export function WarningList() {
  const { data } = useQuery('admin.doctor', {}, { isAffected: () => false, refreshMs: 300_000 });
  const findings = data?.findings ?? [];
  if (findings.length === 0) return null;
  return (
    <Panel title="Warnings" count={findings.length}>
      <ul class="rows">
        {findings.map(({ check, severity, message, fix }) => (
          <li key={check + message} class={`row warning-row ${severity}`}>
            <Icon name="warning" />
            <span class="text">{message}</span>
            <span class="row-end">
              <CopyCommand command={fix} />
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
