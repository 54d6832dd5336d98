import { reportRefused } from './use-graph.ts';

interface UploadResponse {
  error?: string;
  uploadedFileIds?: string[];
  errors?: { fileName: string; error: string }[];
}

interface Options {
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
  options: Options = {},
): Promise<{ ids: string[]; problems: string[] }> {
  const form = new FormData();
  for (const file of files) form.append('files', file);
  const { status, statusText, body } = await post(`/api/${organization}/enrichment-files/upload`, form, options);
  if (status === 401) reportRefused();
  if (status >= 300) throw new Error(body?.error ?? statusText);
  return {
    ids: body?.uploadedFileIds ?? [],
    problems: (body?.errors ?? []).map(({ fileName, error }) => `${fileName}: ${error}`),
  };
}

/** Browsers report the progress of an upload only to `XMLHttpRequest`. */
function post(url: string, form: FormData, { onProgress, signal }: Options) {
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
