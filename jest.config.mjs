export default {
  testEnvironment: '<rootDir>/tests/runner/environment.mjs',
  testRunner: '<rootDir>/tests/runner/runner.mjs',
  testMatch: ['<rootDir>/tests/**/*.test.ts'],
  modulePathIgnorePatterns: ['<rootDir>/gateway/dist'],
  extensionsToTreatAsEsm: ['.ts'],
  // `start/typescript.mjs` does this for Node.
  transform: {},
  // Tests that start several processes take a minute on a busy machine.
  testTimeout: 120_000,
  testSequencer: '<rootDir>/tests/sequencer.mjs',
  // A file that fails may leave servers open, and a run of one file is no process of its own.
  forceExit: true,
  // More than cores, because many tests wait. Each has its own organizations, and processes where necessary.
  maxWorkers: 3,
};
