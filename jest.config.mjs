export default {
  // Test files run as native modules; see tests/support/jest/runtime.mjs.
  runtime: '<rootDir>/tests/support/jest/runtime.mjs',
  testEnvironment: '<rootDir>/tests/support/jest/environment.mjs',
  transform: {},
  // A fresh process for each file.
  workerIdleMemoryLimit: 0,
  testMatch: ['<rootDir>/tests/**/*.test.ts'],
  modulePathIgnorePatterns: ['<rootDir>/gateway/dist'],
  extensionsToTreatAsEsm: ['.ts'],
  // Tests that start several processes take a minute on a busy machine.
  testTimeout: 120_000,
  testSequencer: '<rootDir>/tests/sequencer.mjs',
  // More than cores, because many tests wait. Each has its own organizations, and processes where necessary.
  maxWorkers: 3,
  // A busy machine takes long to end the last process.
  workerGracefulExitTimeout: 10_000,
};
