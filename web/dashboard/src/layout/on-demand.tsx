import { type ComponentType, cloneElement, type ReactElement, Suspense, useState } from 'react';

interface OnDemandProps {
  /** The button that opens the menu. */
  button: ReactElement;
  /** The menu around its button; it mounts open. */
  menu: ComponentType<{ button: ReactElement }>;
}

/** A menu whose code loads when its button is first used, because most visits open no menu. */
export function OnDemand({ button, menu: OpenMenu }: OnDemandProps) {
  const [used, setUsed] = useState(false);
  const closed = cloneElement(button as ReactElement<Record<string, unknown>>, {
    'aria-haspopup': 'menu',
    'aria-expanded': false,
    onClick: () => setUsed(true),
  });
  if (!used) return closed;
  return (
    <Suspense fallback={closed}>
      <OpenMenu button={button} />
    </Suspense>
  );
}
