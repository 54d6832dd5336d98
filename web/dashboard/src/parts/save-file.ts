/** Milliseconds in which a browser starts the download. */
const DOWNLOAD = 60_000;

/** Download a file that this page made of its parts. */
export function saveFile(name: string, parts: BlobPart[], type: string): void {
  const url = URL.createObjectURL(new Blob(parts, { type }));
  const link = Object.assign(document.createElement('a'), { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), DOWNLOAD);
}
