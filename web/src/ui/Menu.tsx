// A menu that opens from a button. Arrow keys walk it, Escape gives the focus back.
import { type ReactNode, useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import './menu.css';

export interface MenuItem {
  readonly label: string;
  readonly hint?: string;
  readonly danger?: boolean;
  readonly disabled?: boolean;
  readonly separated?: boolean;
  run(): void;
}

export function Menu({
  label,
  items,
  children,
  look = 'icon-button',
}: {
  label: string;
  /** Asked for once it is open: a page has many menus, and most stay closed. */
  items: () => readonly MenuItem[];
  children: ReactNode;
  look?: string;
}) {
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const menuId = useId();
  return (
    <>
      <button
        ref={button}
        type="button"
        className={look}
        aria-label={label}
        title={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen ? menuId : undefined}
        onClick={() => setOpen(!isOpen)}
      >
        {children}
      </button>
      {isOpen && (
        <OpenMenu
          id={menuId}
          label={label}
          items={items()}
          from={button.current}
          onClose={(giveBack) => {
            setOpen(false);
            if (giveBack) button.current?.focus();
          }}
        />
      )}
    </>
  );
}

function OpenMenu(props: {
  id: string;
  label: string;
  items: readonly MenuItem[];
  from: HTMLElement | null;
  onClose: (giveBack: boolean) => void;
}) {
  const { from, onClose } = props;
  const place = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState<{ left: number; top: number }>({ left: -9999, top: 0 });

  useLayoutEffect(() => {
    const stand = (): void => {
      const box = from?.getBoundingClientRect();
      const own = place.current?.getBoundingClientRect();
      if (!box || !own) return;
      const below = box.bottom + 4 + own.height < window.innerHeight;
      setAt({
        left: Math.max(8, Math.min(box.right - own.width, window.innerWidth - own.width - 8)),
        top: below ? box.bottom + 4 : Math.max(8, box.top - own.height - 4),
      });
    };
    stand();
    place.current?.querySelector<HTMLElement>('[role=menuitem]:not(:disabled)')?.focus({ preventScroll: true });
    // The press that opens it may bring its button into sight, and what is printed elsewhere scrolls too: it stays at its button.
    window.addEventListener('scroll', stand, true);
    return () => window.removeEventListener('scroll', stand, true);
  }, [from]);

  useEffect(() => {
    const away = (event: Event) => {
      const target = event.target;
      if (target instanceof Node && (place.current?.contains(target) || from?.contains(target))) return;
      onClose(false);
    };
    const leaving = ['pointerdown', 'wheel', 'touchmove'];
    for (const kind of leaving) window.addEventListener(kind, away, true);
    return () => {
      for (const kind of leaving) window.removeEventListener(kind, away, true);
    };
  }, [from, onClose]);

  const walk = (step: number) => {
    const all = [...(place.current?.querySelectorAll<HTMLElement>('[role=menuitem]:not(:disabled)') ?? [])];
    const active = document.activeElement;
    const now = active instanceof HTMLElement ? all.indexOf(active) : -1;
    all[(now + step + all.length) % all.length]?.focus();
  };

  return createPortal(
    <div
      ref={place}
      id={props.id}
      role="menu"
      tabIndex={-1}
      aria-label={props.label}
      className="menu"
      style={at}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === 'ArrowDown') walk(1);
        else if (event.key === 'ArrowUp') walk(-1);
        else if (event.key === 'Escape') onClose(true);
        else if (event.key === 'Tab') onClose(false);
        else return;
        if (event.key !== 'Tab') event.preventDefault();
      }}
    >
      {props.items.map((item) => (
        <button
          key={item.label}
          type="button"
          role="menuitem"
          tabIndex={-1}
          disabled={item.disabled}
          className={`menu-item${item.danger ? ' danger' : ''}${item.separated ? ' separated' : ''}`}
          onClick={() => {
            onClose(true);
            item.run();
          }}
        >
          <span>{item.label}</span>
          {item.hint !== undefined && <kbd>{item.hint}</kbd>}
        </button>
      ))}
    </div>,
    document.body,
  );
}
