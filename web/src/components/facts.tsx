import type { ComponentChildren } from 'preact';

/** The facts of a record: names at the start, values next to them. */
export const Facts = ({ children }: { children: ComponentChildren }) => <dl class="facts">{children}</dl>;

export const Fact = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <div>
    <dt class="text">{name}</dt>
    <dd class="text">{children}</dd>
  </div>
);
