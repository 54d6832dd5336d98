import { relative } from 'node:path';

/** The result of one test file, as Jest writes it. */
export interface TestFile {
  name: string;
  status: 'passed' | 'failed';
  /** Milliseconds since 1970. */
  startTime: number;
  endTime: number;
  assertionResults: { status: string }[];
}

export interface Count {
  passed: number;
  failed: number;
}

/** Count the tests. A file that failed without a failed test, for example because it did not load, counts as one. */
export function countTests(files: readonly TestFile[]): Count {
  const total: Count = { passed: 0, failed: 0 };
  for (const { status, assertionResults } of files) {
    const failed = assertionResults.filter((each) => each.status === 'failed').length;
    total.passed += assertionResults.filter((each) => each.status === 'passed').length;
    total.failed += status === 'failed' ? Math.max(failed, 1) : failed;
  }
  return total;
}

/** A line for each of the files that took the most seconds. */
export function slowest(files: readonly TestFile[], root: string, count = 20): string {
  const seconds = ({ startTime, endTime }: TestFile) => (endTime - startTime) / 1_000;
  return files
    .toSorted((a, b) => seconds(b) - seconds(a))
    .slice(0, count)
    .map((file) => `${seconds(file).toFixed(1).padStart(7)} s  ${relative(root, file.name)}`)
    .join('\n');
}
