import { Paper, SimpleGrid, Text } from '@mantine/core';
import { useFormats, useStrings } from '../../strings/strings.tsx';
import type { Report } from './report.ts';

/** The number of judged values, and the calibration error before and after calibration. */
export function Figures({ report }: { report: Report }) {
  const { confidence } = useStrings();
  const formats = useFormats();
  const points = (error?: number | null) => (typeof error === 'number' ? confidence.points(formats.points(error)) : '–');
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 3 }}>
        <Figure label={confidence.count} value={formats.number(report.count)} />
        <Figure label={confidence.statedError} value={points(report.statedCalibrationError)} />
        <Figure label={confidence.calibratedError} value={points(report.calibrationError)} />
      </SimpleGrid>
      <Text size="xs" c="dimmed" mt={-8}>
        {confidence.errorText}
      </Text>
    </>
  );
}

const Figure = ({ label, value }: { label: string; value: string }) => (
  <Paper withBorder p="sm">
    <Text size="xs" c="dimmed">
      {label}
    </Text>
    <Text size="xl" fw={650}>
      {value}
    </Text>
  </Paper>
);
