export interface Sent {
  name: string;
  type: string;
  content: string | Buffer;
}

/** Send a multipart form. `path` is relative to the organization. */
export async function sendFiles(
  { slug, key, url = process.env.TEST_URL! }: { slug: string; key: string; url?: string },
  path: string,
  files: Sent[],
  { fields = {}, headers = {} }: { fields?: Record<string, string>; headers?: Record<string, string> } = {},
) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  for (const { name, type, content } of files)
    form.append('files', new Blob([new Uint8Array(Buffer.from(content))], { type }), name);
  const answer = await fetch(`${url}/api/${slug}${path}`, {
    method: 'POST',
    headers: { 'x-api-key': key, ...headers },
    body: form,
  });
  return { status: answer.status, headers: answer.headers, body: await answer.json() };
}
