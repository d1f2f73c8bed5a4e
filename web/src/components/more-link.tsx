/** A line below a list that was cut, with a link to the rest. */
export const MoreLink = ({ count, noun, href }: { count: number; noun: string; href: string }) =>
  count > 0 ? (
    <p class="panel-none">
      <a href={href}>
        and {count} more {noun}
      </a>
    </p>
  ) : null;
