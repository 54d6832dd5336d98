import { Button, Group } from '@mantine/core';
import { useStrings } from '../strings/strings.tsx';

interface Props {
  /** The label of the button that submits the form. */
  submit: string;
  loading: boolean;
  disabled?: boolean;
  onCancel(): void;
}

/** The last line of a form: cancel and submit. */
export function FormButtons({ submit, loading, disabled, onCancel }: Props) {
  const { actions } = useStrings();
  return (
    <Group justify="flex-end">
      <Button variant="default" onClick={onCancel}>
        {actions.cancel}
      </Button>
      <Button type="submit" loading={loading} disabled={disabled}>
        {submit}
      </Button>
    </Group>
  );
}
