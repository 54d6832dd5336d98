// Loaded by `--import`: the wall clock of the process jumps at each SIGWINCH, first an hour forward, then an hour back, then to the true time.
// Timers and `performance.now()` use the monotonic clock, so they do not change.
const HOUR = 3_600_000;
const jumps = [HOUR, -HOUR, 0];
const RealDate = Date;
let jump = 0;
const now = () => RealDate.now() + jump;

// Instances stay those of the real class.
globalThis.Date = new Proxy(RealDate, {
  construct: (target, parts) => Reflect.construct(target, parts.length === 0 ? [now()] : parts),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
});
process.on('SIGWINCH', () => {
  jumps.push(jumps.shift());
  jump = jumps.at(-1);
});
