import { reportRefused } from './use-graph.ts';

interface UploadResponse {
  error?: string;
  message?: string;
  data?: { sources?: { id: string }[]; source?: { id: string } };
  uploadedFileIds?: string[];
  errors?: { fileName: string; error: string }[];
}

export interface UploadOptions {
  /** Receives the share of the request that is sent, 0 to 1. */
  onProgress?(share: number): void;
  signal?: AbortSignal;
}

/**
 * Upload files as sources of jobs. Files that the server cannot read are in `problems`.
 * @param organization the slug of the organization
 */
export async function uploadFiles(
  organization: string,
  files: readonly File[],
  options: UploadOptions = {},
): Promise<{ ids: string[]; problems: string[] }> {
  const form = new FormData();
  for (const file of files) form.append('files', file);
  const body = await send(`/api/${organization}/enrichment-files/upload`, form, options);
  return {
    ids: body?.uploadedFileIds ?? [],
    problems: (body?.errors ?? []).map(({ fileName, error }) => `${fileName}: ${error}`),
  };
}

/**
 * Upload a file as a new source of an agent, or as the newer version of a source. Returns the id of the source.
 * @param path of the endpoint, below the agent
 */
export async function uploadDocument(
  { organization, agentId, path }: { organization: string; agentId: string; path: string },
  file: File,
  options: UploadOptions = {},
): Promise<string | undefined> {
  const form = new FormData();
  // The server decides by the name, because browsers know no media type for some of them.
  form.append('files', new Blob([file], { type: 'application/octet-stream' }), file.name);
  const body = await send(`/api/${organization}/agents/${agentId}/${path}`, form, options);
  return (body?.data?.source ?? body?.data?.sources?.[0])?.id;
}

async function send(url: string, form: FormData, options: UploadOptions): Promise<UploadResponse | null> {
  const { status, statusText, body } = await post(url, form, options);
  if (status === 401) reportRefused();
  if (status >= 300) throw new Error(body?.error ?? body?.message ?? statusText);
  return body;
}

/** Browsers report the progress of an upload only to `XMLHttpRequest`. */
function post(url: string, form: FormData, { onProgress, signal }: UploadOptions) {
  return new Promise<{ status: number; statusText: string; body: UploadResponse | null }>((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', url);
    request.responseType = 'json';
    request.upload.onprogress = ({ loaded, total }) => onProgress?.(loaded / total);
    request.onload = () => resolve({ status: request.status, statusText: request.statusText, body: request.response });
    request.onerror = () => reject(new TypeError('The server cannot be reached'));
    request.onabort = () => reject(signal?.reason);
    signal?.addEventListener('abort', () => request.abort(), { once: true });
    request.send(form);
  });
}
