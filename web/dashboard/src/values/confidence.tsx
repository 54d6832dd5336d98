import { Badge } from '@mantine/core';
import { useFormats } from '../strings/strings.tsx';

/** A calibrated confidence, 0 to 100. */
export function Confidence({ value }: { value: number }) {
  const formats = useFormats();
  const color = value >= 85 ? 'teal' : value >= 60 ? 'yellow' : 'red';
  return (
    <Badge variant="light" color={color}>
      {formats.percent(value / 100)}
    </Badge>
  );
}
