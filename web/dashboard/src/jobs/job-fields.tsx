import { Alert, Group, Radio, type RadioGroupProps, Select, type SelectProps, Text } from '@mantine/core';
import { graphql, useQuery } from '../graph/graph-hooks.ts';
import { useStrings } from '../strings/strings.tsx';

/** The input of the model that a job asks. */
export function TierField(props: Omit<RadioGroupProps, 'children'>) {
  const { jobs, terms } = useStrings();
  return (
    <Radio.Group label={terms.model} {...props}>
      <Group mt={4}>
        <Radio value="budget-v1" label={jobs.tiers['budget-v1']} />
        <Radio value="pro-v1" label={jobs.tiers['pro-v1']} />
      </Group>
    </Radio.Group>
  );
}

const SETS = graphql(`query JobAttributeSets($subject: AttributeSubject!) { attributeSets(subject: $subject) { id name } }`);

/** The input of the attribute set that a job fills in. Empty means all attributes of the subject. */
export function AttributeSetField({ subject, ...props }: SelectProps & { subject: 'product' | 'brand' | 'category' }) {
  const { newJob, pages } = useStrings();
  const [{ data }] = useQuery({ query: SETS, variables: { subject } });
  return (
    <Select
      label={pages.attributeSet}
      placeholder={newJob.allAttributes}
      data={data?.attributeSets.map(({ id, name }) => ({ value: id, label: name })) ?? []}
      clearable
      searchable
      {...props}
    />
  );
}

interface EstimateNoteProps {
  text: string;
  isCovered: boolean;
  /** A newer estimate is on its way. */
  stale: boolean;
}

/** The maximum cost of a job, and whether the balance covers it. */
export function EstimateNote({ text, isCovered, stale }: EstimateNoteProps) {
  const { newJob } = useStrings();
  return (
    <Alert color={isCovered ? 'blue' : 'red'} opacity={stale ? 0.6 : 1} role="status">
      <Text>{text}</Text>
      {!isCovered && <Text fw={500}>{newJob.notCovered}</Text>}
    </Alert>
  );
}
