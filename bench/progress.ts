/** Print the current step: one overwritten line in a terminal, otherwise a line for each step. */
export function note(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[2K${text}`);
  else if (text) process.stderr.write(`${text}\n`);
}
