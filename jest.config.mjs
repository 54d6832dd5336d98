export default {
  testEnvironment: '<rootDir>/tests/runner/environment.mjs',
  testRunner: '<rootDir>/tests/runner/runner.mjs',
  testMatch: ['<rootDir>/tests/**/*.test.ts'],
  modulePathIgnorePatterns: ['<rootDir>/gateway/dist'],
  // `start/typescript.mjs` does this for Node.
  transform: {},
  // Only guards against a hang. Tests that start several processes take minutes on a busy machine; `until` gives up sooner.
  testTimeout: 300_000,
  testSequencer: '<rootDir>/tests/sequencer.mjs',
  // A file that fails may leave servers open, which would keep the process of a run of one file alive.
  forceExit: true,
  // More than cores, because many tests wait. Each has its own organizations, and processes where necessary.
  maxWorkers: 3,
};
