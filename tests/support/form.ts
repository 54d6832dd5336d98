export interface Sent {
  name: string;
  type: string;
  content: string | Buffer;
}

/** Send a multipart form. `path` is relative to the organization. */
export function postFiles(
  { slug, key, url = process.env.TEST_URL! }: { slug: string; key: string; url?: string },
  path: string,
  files: Sent[],
  { fields = {}, headers = {} }: { fields?: Record<string, string>; headers?: Record<string, string> } = {},
) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  for (const { name, type, content } of files)
    form.append('files', new Blob([new Uint8Array(Buffer.from(content))], { type }), name);
  return fetch(`${url}/api/${slug}${path}`, { method: 'POST', headers: { 'x-api-key': key, ...headers }, body: form });
}

/** Like `postFiles`, and read the JSON of the response. */
export async function sendFiles(...form: Parameters<typeof postFiles>) {
  const answer = await postFiles(...form);
  return { status: answer.status, body: await answer.json() };
}
