import { Stack, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import type { JobPageQuery } from '../../../.graph/graphql.ts';
import { Action } from '../../parts/elements.tsx';
import { useOrganization } from '../../session/organization-choice.tsx';
import { useStrings } from '../../strings/strings.tsx';

type Job = JobPageQuery['job'];

/** Downloads the file of an export. The server streams it, because it can be larger than the memory of a page. */
export function DownloadButton({ job: { id, productExport: file } }: { job: Job }) {
  const { productExports } = useStrings();
  const { slug } = useOrganization().organization;
  if (!file?.isAvailable) return null;
  return (
    <Action
      component="a"
      href={`/api/${slug}/product-export-jobs/${id}/download`}
      download
      label={productExports.download}
      icon={IconDownload}
    />
  );
}

/** The file of an export: its format, its products and how long it is kept. */
export function ExportFile({ job: { productExport, completedAt } }: { job: Job }) {
  const { productExports, terms, formats } = useStrings();
  if (!productExport) return null;
  const { format, products, exported, isAvailable, expiresAt } = productExport;
  const isExpired = !isAvailable && expiresAt != null;
  return (
    <Stack gap="xs">
      <Text role="status">{productExports.written(formats.number(exported), formats.number(products))}</Text>
      <Text>{`${terms.format}: ${productExports.formats[format]}`}</Text>
      {completedAt != null && expiresAt != null && (
        <Text>{isExpired ? productExports.expired : productExports.expires(formats.time(expiresAt))}</Text>
      )}
    </Stack>
  );
}
