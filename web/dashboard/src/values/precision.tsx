import { Group, type NumberInputProps } from '@mantine/core';
import { useState } from 'react';
import type { SetAutoAcceptMutationVariables } from '../../.graph/graphql.ts';
import { graphql, useButton } from '../graph/graph-hooks.ts';
import { Action, Note } from '../parts/elements.tsx';
import { NumberField } from '../parts/forms-and-dialogs.tsx';
import { useUnsaved } from '../parts/leaving.ts';
import { Section } from '../parts/page-frame.tsx';
import { useOrganization } from '../session/session.tsx';
import { useStrings } from '../strings/strings.tsx';

export const SET_AUTO_ACCEPT = graphql(
  `mutation SetAutoAccept($input: AutoAcceptDefault!) { setAutoAcceptDefault(input: $input) { precision auditShare } }`,
);

interface FieldProps extends Omit<NumberInputProps, 'value' | 'onChange' | 'min' | 'max'> {
  /** A share, such as 0.98; null for none. */
  value?: number | null;
  onChange(value: number | null): void;
  min: number;
  max: number;
}

/** The input of a share in percent, with one decimal. */
function ShareField({ value = null, onChange, min, max, ...props }: FieldProps) {
  return (
    <NumberField
      {...props}
      min={100 * min}
      max={100 * max}
      decimalScale={1}
      suffix=" %"
      value={value === null ? null : Math.round(1_000 * value) / 10}
      onChange={(percent) => onChange(percent === null ? null : Math.round(10 * percent) / 1_000)}
    />
  );
}

/** The precisions that the API accepts. At 100 %, no rule could be proven. */
const [LOWEST, HIGHEST] = [0.5, 0.999];
/** The shares of audited values that the API accepts. */
const [MIN_AUDITED, MAX_AUDITED] = [0.01, 0.5];

/** The input of the wanted precision of values that are accepted without a person. Empty means the default. */
export const PrecisionField = (props: Omit<FieldProps, 'min' | 'max'>) => <ShareField min={LOWEST} max={HIGHEST} {...props} />;

export const isPrecision = (value: number | null): boolean => value === null || (value >= LOWEST && value <= HIGHEST);

interface DefaultProps {
  /** An attribute or an attribute set. */
  of: Pick<SetAutoAcceptMutationVariables['input'], 'attributeId' | 'attributeSetId'>;
  stored: number | null;
  text: string;
}

/** The precision that jobs want for an attribute, or with an attribute set. */
export function DefaultPrecision({ of, stored, text }: DefaultProps) {
  const { confidence, terms } = useStrings();
  const { isAdmin } = useOrganization();
  const set = useButton(SET_AUTO_ACCEPT, { done: terms.saved });
  const [value, setValue] = useState(stored);
  const isChanged = value !== stored;
  useUnsaved(isChanged);
  return (
    <Section title={confidence.accept}>
      <Note mb="sm">{text}</Note>
      <Group align="flex-end">
        <PrecisionField
          label={confidence.wanted}
          placeholder={confidence.inherited}
          value={value}
          onChange={setValue}
          disabled={!isAdmin}
        />
        {isAdmin && (
          <Action
            label={confidence.apply}
            of={confidence.wanted}
            variant="default"
            disabled={!isChanged || !isPrecision(value)}
            {...set({ input: { ...of, precision: value } })}
          />
        )}
      </Group>
    </Section>
  );
}

interface OrganizationProps {
  defaults: { precision?: number | null; auditShare: number };
}

/** The precision of the organization, and the share of accepted values that people review all the same. */
export function OrganizationPrecision({ defaults: { precision = null, auditShare } }: OrganizationProps) {
  const { confidence, terms } = useStrings();
  const set = useButton(SET_AUTO_ACCEPT, { done: terms.saved });
  const [wanted, setWanted] = useState(precision);
  const [share, setShare] = useState<number | null>(auditShare);
  const isChanged = wanted !== precision || share !== auditShare;
  useUnsaved(isChanged);
  const isValid = isPrecision(wanted) && share !== null && share >= MIN_AUDITED && share <= MAX_AUDITED;
  return (
    <Group align="flex-end">
      <PrecisionField label={confidence.wantedByDefault} placeholder={confidence.off} value={wanted} onChange={setWanted} />
      <ShareField label={confidence.auditShare} min={MIN_AUDITED} max={MAX_AUDITED} value={share} onChange={setShare} />
      <Action
        label={confidence.apply}
        of={confidence.wantedByDefault}
        variant="default"
        disabled={!isChanged || !isValid}
        {...set({ input: { precision: wanted, auditShare: share } })}
      />
    </Group>
  );
}
