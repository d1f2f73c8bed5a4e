import type { ComponentChildren } from 'preact';

/** A titled part of a view, with the number of things in it. */
export const Panel = ({
  title,
  count,
  actions,
  children,
}: {
  title: string;
  count?: number;
  actions?: ComponentChildren;
  children: ComponentChildren;
}) => (
  <section class="panel" aria-label={title}>
    <header class="panel-head">
      <h2>{title}</h2>
      {count !== undefined && count > 0 && <span class="count">{count}</span>}
      {actions && <span class="panel-actions">{actions}</span>}
    </header>
    {children}
  </section>
);
