import { useDisclosure } from '@mantine/hooks';
import { IconFileDescription } from '@tabler/icons-react';
import { lazy, Suspense } from 'react';
import { Action } from '../parts/elements.tsx';
import { useStrings } from '../strings/strings.tsx';

// A dialog needs much code that the first page does without.
const SampleDialog = lazy(async () => ({ default: (await import('./sample-dialog.tsx')).SampleDialog }));

/** The button that opens the sample of a product file. */
export function SampleFile({ size }: { size?: 'xs' }) {
  const { firstSteps } = useStrings();
  const [isOpen, { open, close }] = useDisclosure();
  return (
    <>
      <Action label={firstSteps.sample} size={size} variant="subtle" onClick={open} icon={IconFileDescription} />
      {isOpen && (
        <Suspense>
          <SampleDialog onClose={close} />
        </Suspense>
      )}
    </>
  );
}
