import { SegmentedControl, Stack } from '@mantine/core';
import { useState } from 'react';
import { Modal } from '../parts/dialog.tsx';
import { Secret } from '../parts/secret.tsx';
import { showDone } from '../parts/toast.ts';
import { useLeave } from '../parts/use-leave.ts';
import { useAddress } from '../session/organization.tsx';
import { useStrings } from '../strings/strings.tsx';
import { CatalogForm } from './catalog-form.tsx';
import { EventForm } from './event-form.tsx';
import { SiteForm } from './site-form.tsx';
import type { Made, SurfaceName, Webhook } from './surface.ts';
import { surfaceNames } from './surfaces.ts';

const forms = { catalog: CatalogForm, events: EventForm, sites: SiteForm };

interface EditorProps {
  onClose(): void;
  webhook?: Webhook;
  /** The surface to start with. */
  surface?: SurfaceName;
}

/** Creates a webhook on any surface, or changes one. */
export function Editor({ onClose, webhook, surface: first = 'catalog' }: EditorProps) {
  const { webhooks } = useStrings();
  const address = useAddress();
  const { leaveTo } = useLeave();
  const [chosen, setChosen] = useState<SurfaceName>();
  const [made, setMade] = useState<{ id: string; secret: string }>();
  const surface = webhook?.surface ?? chosen ?? first;
  const Form = forms[surface];

  function done(next: Made) {
    showDone(next ? webhooks.createdDone : webhooks.saved);
    if (!next) return onClose();
    if (next.secret) return setMade({ id: next.id, secret: next.secret });
    return leaveTo(address(`webhooks/${surface}/${next.id}`));
  }
  return (
    <Modal
      guarded={!made}
      onClose={made ? () => leaveTo(address(`webhooks/${surface}/${made.id}`)) : onClose}
      title={made ? webhooks.secret : webhook ? webhooks.edit : webhooks.create}
      size="lg"
      closeOnClickOutside={!made}
    >
      {made ? (
        <Secret value={made.secret} text={webhooks.secretOnce} />
      ) : (
        <Stack>
          {!webhook && (
            <SegmentedControl
              aria-label={webhooks.filter}
              value={surface}
              onChange={(value) => setChosen(value as SurfaceName)}
              data={surfaceNames.map((value) => ({ value, label: webhooks.surfaces[value] }))}
            />
          )}
          <Form webhook={webhook} onDone={done} />
        </Stack>
      )}
    </Modal>
  );
}
