import { useDisclosure } from '@mantine/hooks';
import { IconFileDescription } from '@tabler/icons-react';
import { Action } from '../parts/elements.tsx';
import { onDemand } from '../parts/page-frame.tsx';
import { useStrings } from '../strings/strings.tsx';

// A dialog needs much code that the first page does without.
const SampleDialog = onDemand(async () => (await import('./sample-dialog.tsx')).SampleDialog);

/** The button that opens the sample of a product file. */
export function SampleFile({ size }: { size?: 'xs' }) {
  const { firstSteps } = useStrings();
  const [isOpen, { open, close }] = useDisclosure();
  return (
    <>
      <Action label={firstSteps.sample} size={size} variant="subtle" onClick={open} icon={IconFileDescription} />
      {isOpen && <SampleDialog onClose={close} />}
    </>
  );
}
