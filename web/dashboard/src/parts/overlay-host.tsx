import { lazy, Suspense, useEffect, useState } from 'react';

const Overlays = lazy(async () => ({ default: (await import('./overlays.tsx')).Overlays }));
const wanted = Promise.withResolvers<void>();
const mounted = Promise.withResolvers<void>();

/** Load the code of toasts and dialogs, which the first page does not need. Resolves when they can be shown. */
export function openOverlays(): Promise<void> {
  wanted.resolve();
  return mounted.promise;
}

/** Renders toasts and dialogs once one of them is needed. */
export function OverlayHost() {
  const [open, setOpen] = useState(false);
  useEffect(() => void wanted.promise.then(() => setOpen(true)), []);
  return (
    open && (
      <Suspense>
        <Overlays onMounted={mounted.resolve} />
      </Suspense>
    )
  );
}
