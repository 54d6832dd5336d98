/**
 * End the process at once. `process.exit` waits for the threads of the process, which may be stuck for minutes, for example in the lookup of
 * a name or in a file on a hung disk. So another program, which ends immediately, replaces the process.
 */
export function exitNow(code: number): never {
  process.emit('exit', code);
  if (process.platform !== 'win32') process.execve!(process.execPath, [process.execPath, '-e', `process.exit(${code})`], {});
  return process.exit(code);
}
