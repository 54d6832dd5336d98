/** What is being done, on one line that is written over; line by line where nobody watches. */
export function note(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[2K${text}`);
  else if (text) process.stderr.write(`${text}\n`);
}
