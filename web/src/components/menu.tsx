import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

export interface MenuItem {
  label: string;
  run: () => void;
  /** The reason why it cannot be chosen. */
  disabled?: string | undefined;
  isChecked?: boolean;
  icon?: ComponentChildren;
  note?: string;
  isAfterLine?: boolean;
}

interface MenuProps {
  /** The name of the button for screen readers. */
  label: string;
  items: MenuItem[];
  children: ComponentChildren;
  className?: string;
  disabled?: boolean;
  /** The content is a text, which the name of the button must contain: the label is read before it. */
  hasText?: boolean;
}

/** A button that opens a list of choices. Arrow keys move, Escape closes. */
export function Menu({ label, items, children, className = 'button', disabled = false, hasText = false }: MenuProps) {
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLDivElement>(null);

  useLayoutEffect(() => {
    if (!isOpen || !button.current || !list.current) return;
    // The top layer: a row that is moved by a transform would move the menu too.
    list.current.showPopover();
    const anchor = button.current.getBoundingClientRect();
    const { style, offsetHeight, offsetWidth } = list.current;
    const isAbove = anchor.bottom + offsetHeight + 8 > innerHeight && anchor.top > offsetHeight + 8;
    style.top = `${isAbove ? anchor.top - offsetHeight - 4 : anchor.bottom + 4}px`;
    style.left = `${Math.max(8, Math.min(anchor.left, innerWidth - offsetWidth - 8))}px`;
    findItems(list.current)[0]?.focus();
  }, [isOpen]);

  useEffect(() => {
    if (!isOpen) return;
    const close = (event: Event): void => {
      if (event.target instanceof Node && (list.current?.contains(event.target) || button.current?.contains(event.target))) return;
      setOpen(false);
    };
    addEventListener('mousedown', close, true);
    addEventListener('scroll', close, true);
    return () => {
      removeEventListener('mousedown', close, true);
      removeEventListener('scroll', close, true);
    };
  }, [isOpen]);

  const end = (): void => {
    setOpen(false);
    button.current?.focus();
  };
  const moveFocus = (event: KeyboardEvent): void => {
    const found = findItems(list.current);
    const at = found.indexOf(document.activeElement as HTMLElement);
    const step = { ArrowDown: 1, ArrowUp: -1, j: 1, k: -1 }[event.key];
    if (event.key === 'Escape' || event.key === 'Tab') end();
    else if (step) found[(at + step + found.length) % found.length]?.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <>
      <button
        ref={button}
        type="button"
        class={className}
        aria-label={hasText ? undefined : label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        title={label}
        disabled={disabled}
        onClick={(event) => {
          event.preventDefault();
          event.stopPropagation();
          setOpen(!isOpen);
        }}
      >
        {hasText && <span class="visually-hidden">{label}: </span>}
        {children}
      </button>
      {isOpen && (
        <div ref={list} class="menu" popover="manual" role="menu" aria-label={label} onKeyDown={moveFocus}>
          {items.map((item) => (
            <MenuEntry key={item.label} item={item} onChoose={end} />
          ))}
        </div>
      )}
    </>
  );
}

function MenuEntry({ item, onChoose }: { item: MenuItem; onChoose: () => void }) {
  const { label, run, disabled, isChecked, icon, note, isAfterLine } = item;
  return (
    <>
      {isAfterLine && <hr />}
      <button
        type="button"
        role={isChecked === undefined ? 'menuitem' : 'menuitemradio'}
        {...(isChecked === undefined ? {} : { 'aria-checked': isChecked })}
        disabled={disabled !== undefined}
        title={disabled}
        onClick={(event) => {
          event.preventDefault();
          event.stopPropagation();
          onChoose();
          run();
        }}
      >
        {icon}
        <span class="line">{label}</span>
        {isChecked ? <span class="menu-note">✓</span> : note && <span class="menu-note">{note}</span>}
      </button>
    </>
  );
}

const findItems = (list: HTMLElement | null): HTMLElement[] => [
  ...(list?.querySelectorAll<HTMLElement>('[role^=menuitem]:not(:disabled)') ?? []),
];
