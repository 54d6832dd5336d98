import { type ComponentType, cloneElement, type ReactElement, Suspense, useEffect, useRef, useState } from 'react';

export interface OpenMenuProps {
  button: ReactElement;
  opened: boolean;
  onChange(opened: boolean): void;
}

interface OnDemandProps {
  /** The button that opens the menu. */
  button: ReactElement;
  /** The menu around its button. */
  menu: ComponentType<OpenMenuProps>;
}

/** A menu whose code loads when its button is first used, because most visits open no menu. */
export function OnDemand({ button, menu }: OnDemandProps) {
  const [used, setUsed] = useState(false);
  const closed = cloneElement(button as ReactElement<Record<string, unknown>>, {
    'aria-haspopup': 'menu',
    'aria-expanded': false,
    onClick: () => setUsed(true),
  });
  if (!used) return closed;
  return (
    <Suspense fallback={closed}>
      <Opening button={button} menu={menu} />
    </Suspense>
  );
}

/** Mounts the menu closed, and then opens it from its focused button. So the button gets the focus back when the menu closes. */
function Opening({ button, menu: OpenMenu }: OnDemandProps) {
  const target = useRef<HTMLButtonElement>(null);
  const [opened, setOpened] = useState(false);
  useEffect(() => {
    target.current?.focus();
    setOpened(true);
  }, []);
  return (
    <OpenMenu
      button={cloneElement(button as ReactElement<Record<string, unknown>>, { ref: target })}
      opened={opened}
      onChange={setOpened}
    />
  );
}
