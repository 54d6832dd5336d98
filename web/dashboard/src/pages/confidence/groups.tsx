import { Anchor, Code } from '@mantine/core';
import { Link } from 'react-router';
import { ShortTable } from '../../parts/short-table.tsx';
import { useFormats, useStrings } from '../../strings/strings.tsx';
import type { Report } from './report.ts';

interface Props {
  groups: Report['groups'];
  /** Names of attributes by slug. A deleted attribute has none. */
  names: ReadonlyMap<string, string>;
}

/** Each attribute and model tier with its share of right values. A link shows the bands of one. */
export function Groups({ groups, names }: Props) {
  const { confidence, jobs } = useStrings();
  const formats = useFormats();
  const percent = (value: number) => formats.percent(value / 100);
  const rows = groups.map((group) => ({ ...group, id: `${group.modelType} ${group.slug}` }));
  return (
    <ShortTable
      label={confidence.groups}
      rows={rows}
      columns={[
        {
          key: 'attribute',
          title: confidence.attribute,
          cell: ({ slug, modelType }) => (
            <Anchor component={Link} size="sm" to={`?attribute=${encodeURIComponent(slug)}&tier=${modelType}`}>
              {names.get(slug) ?? <Code>{slug}</Code>}
            </Anchor>
          ),
        },
        { key: 'tier', title: confidence.tier, from: 'sm', cell: ({ modelType }) => jobs.tiers[modelType] },
        { key: 'count', title: confidence.count, align: 'right', from: 'md', cell: ({ count }) => formats.number(count) },
        { key: 'stated', title: confidence.stated, align: 'right', from: 'md', cell: (group) => percent(group.statedConfidence) },
        { key: 'calibrated', title: confidence.calibrated, align: 'right', from: 'xs', cell: (group) => percent(group.confidence) },
        { key: 'right', title: confidence.right, align: 'right', cell: ({ right }) => percent(right) },
        {
          key: 'error',
          title: confidence.error,
          align: 'right',
          cell: (group) => confidence.change(formats.points(group.statedCalibrationError), formats.points(group.calibrationError)),
        },
      ]}
    />
  );
}
