// Loaded by `--import`: the wall clock of the process jumps at each SIGWINCH, first an hour forward, then an hour back, then to the true time.
// Timers and `performance.now()` use the monotonic clock, so they do not change.
const HOUR = 3_600_000;
const jumps = [HOUR, -HOUR, 0];
const RealDate = Date;
let jump = 0;

class JumpingDate extends RealDate {
  constructor(...parts) {
    super(...(parts.length === 0 ? [RealDate.now() + jump] : parts));
  }

  static now() {
    return RealDate.now() + jump;
  }
}
// Decorators identify types by name.
Object.defineProperty(JumpingDate, 'name', { value: 'Date' });
globalThis.Date = JumpingDate;
process.on('SIGWINCH', () => {
  jumps.push(jumps.shift());
  jump = jumps.at(-1);
});
