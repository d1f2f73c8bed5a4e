import type { Result } from '../../api/operations.generated.ts';
import { CopyCommand } from '../../components/copy-command.tsx';
import { Panel } from '../../components/panel.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { type DimensionName, dimensionLabels } from './dimensions.tsx';

type Loss = NonNullable<Result<'admin.grade'>['explanation']>[number];

/** Each loss of points: its reason, the log entries that caused it, and the call that would have kept the points. */
export function LossList({ losses, unknown }: { losses: Loss[]; unknown: ReadonlySet<DimensionName> }) {
  const lost = losses.reduce((sum, { points }) => sum + points, 0);
  return (
    <Panel title="Lost points" count={lost}>
      {losses.length === 0 && <p class="panel-none">No point was lost.</p>}
      <ol>
        {losses.map((loss, i) => (
          <li key={i} class="loss" data-nav>
            <span class="loss-points">−{loss.points}</span>
            <div class="loss-body">
              <p class="text">
                {loss.reason}{' '}
                <span class="muted">
                  {dimensionLabels[loss.dimension]}
                  {unknown.has(loss.dimension) && ', not recorded'}
                </span>
              </p>
              {loss.entries.length > 0 && (
                <ul class="loss-entries">
                  {loss.entries.map(({ seq, operation, timestamp }) => (
                    <li key={seq}>
                      <a class="mono loss-entry" href={`/log?entry=${seq}`}>
                        #{seq}
                      </a>{' '}
                      <code class="text">{operation}</code>{' '}
                      <span class="muted">
                        <TimeAgo time={timestamp} />
                      </span>
                    </li>
                  ))}
                  {loss.more !== undefined && <li class="muted">and {loss.more} more</li>}
                </ul>
              )}
              <p class="loss-call">
                <span class="muted">{loss.command ? 'Keeps them:' : 'Keeps them, over MCP:'}</span>
                <CopyCommand command={loss.command ?? formatCall(loss.call)} />
              </p>
            </div>
          </li>
        ))}
      </ol>
    </Panel>
  );
}

const formatCall = ({ gateway, domain, operation, params }: Loss['call']): string =>
  `${gateway} ${JSON.stringify({ domain, operation, ...(Object.keys(params).length > 0 ? { params } : {}) })}`;
