/**
 * Upload files as sources of jobs. Files that the server cannot read are in `problems`.
 * @param organization the slug of the organization
 */
export async function uploadFiles(organization: string, files: readonly File[]): Promise<{ ids: string[]; problems: string[] }> {
  const form = new FormData();
  for (const file of files) form.append('files', file);
  const response = await fetch(`/api/${organization}/enrichment-files/upload`, { method: 'POST', body: form });
  const body = (await response.json()) as {
    error?: string;
    uploadedFileIds?: string[];
    errors?: { fileName: string; error: string }[];
  };
  if (!response.ok) throw new Error(body.error ?? response.statusText);
  return { ids: body.uploadedFileIds ?? [], problems: (body.errors ?? []).map(({ fileName, error }) => `${fileName}: ${error}`) };
}
