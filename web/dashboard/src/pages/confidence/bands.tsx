import '@mantine/charts/styles.css';
import { BarChart } from '@mantine/charts';
import { Stack } from '@mantine/core';
import { ShortTable } from '../../parts/short-table.tsx';
import { useFormats, useStrings } from '../../strings/strings.tsx';
import type { Report } from './report.ts';

/** The calibrated confidence beside the share of right values, by band of confidence. */
export function Bands({ bands }: { bands: Report['bands'] }) {
  const { confidence } = useStrings();
  const formats = useFormats();
  const percent = (value: number) => formats.percent(value / 100);
  const rows = bands.map((band) => ({
    ...band,
    id: String(band.from),
    name: confidence.range(percent(band.from), percent(band.from + 10)),
  }));
  // A band without values leaves a gap in the chart.
  const all = Array.from({ length: 10 }, (_, at) => {
    const { confidence: calibrated, right } = bands.find(({ from }) => from === at * 10) ?? {};
    return { name: percent(at * 10), calibrated, right };
  });
  return (
    <Stack>
      <div aria-hidden>
        <BarChart
          h={200}
          data={all}
          dataKey="name"
          withLegend
          series={[
            { name: 'calibrated', label: confidence.calibrated, color: 'indigo.6' },
            { name: 'right', label: confidence.right, color: 'teal.6' },
          ]}
          valueFormatter={percent}
          yAxisProps={{ domain: [0, 100] }}
          gridAxis="x"
          barProps={{ isAnimationActive: false, maxBarSize: 40 }}
          barChartProps={{ accessibilityLayer: false }}
        />
      </div>
      <ShortTable
        label={confidence.bands}
        rows={rows}
        columns={[
          { key: 'band', title: confidence.band, cell: ({ name }) => name },
          { key: 'count', title: confidence.count, align: 'right', from: 'xs', cell: ({ count }) => formats.number(count) },
          { key: 'stated', title: confidence.stated, align: 'right', from: 'sm', cell: (band) => percent(band.statedConfidence) },
          { key: 'calibrated', title: confidence.calibrated, align: 'right', cell: (band) => percent(band.confidence) },
          { key: 'right', title: confidence.right, align: 'right', cell: ({ right }) => percent(right) },
        ]}
      />
    </Stack>
  );
}
