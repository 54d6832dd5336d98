import { Button, Group } from '@mantine/core';
import { useStrings } from '../strings/strings.tsx';

interface Props {
  /** The label of the button that submits the form. */
  submit: string;
  loading: boolean;
  disabled?: boolean;
  onCancel(): void;
  /** A button that deletes the edited record. */
  deletion?: { label: string; onClick(): void };
}

/** The last line of a form: delete, cancel and submit. */
export function FormButtons({ submit, loading, disabled, onCancel, deletion }: Props) {
  const { actions } = useStrings();
  return (
    <Group justify="flex-end">
      {deletion && (
        <Button variant="subtle" color="red" onClick={deletion.onClick} mr="auto">
          {deletion.label}
        </Button>
      )}
      <Button variant="default" onClick={onCancel}>
        {actions.cancel}
      </Button>
      <Button type="submit" loading={loading} disabled={disabled}>
        {submit}
      </Button>
    </Group>
  );
}
