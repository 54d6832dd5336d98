import { totalmem } from 'node:os';
import { Gauge, type Registry } from 'prom-client';

/** The memory limit of the container of this process in bytes, or the memory of the machine if no limit is lower. */
export const memoryLimit = (constrained = process.constrainedMemory(), total = totalmem()): number =>
  // Without a limit the system reports 0 or more memory than there is.
  constrained > 0 ? Math.min(constrained, total) : total;

/** Add the memory limit to the metrics, beside the memory that the process uses. */
export function countMemoryLimit(registry: Registry): void {
  new Gauge({
    name: 'process_memory_limit_bytes',
    help: 'Memory limit of the container, or the memory of the machine if no limit is lower.',
    registers: [registry],
  }).set(memoryLimit());
}
