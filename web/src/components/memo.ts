import { Component, type ComponentChild, type FunctionComponent, h } from 'preact';

/** Draws a component again only if one of its properties changed. `preact/compat` would add more than this. */
export function memo<P extends object>(draw: (props: P) => ComponentChild): FunctionComponent<P> {
  class Memo extends Component<P> {
    override shouldComponentUpdate(next: Readonly<P>): boolean {
      const keys = new Set([...Object.keys(next), ...Object.keys(this.props)]) as Set<keyof P>;
      return [...keys].some((key) => !Object.is(next[key], (this.props as P)[key]));
    }
    override render(): ComponentChild {
      return h(Inner, this.props as P);
    }
  }
  const Inner = (props: P) => draw(props);
  return Memo as unknown as FunctionComponent<P>;
}
