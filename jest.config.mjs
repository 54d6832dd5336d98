export default {
  testEnvironment: '<rootDir>/tests/environment.mjs',
  testEnvironmentOptions: { customExportConditions: ['node', 'node-addons', 'compiled-gateway-source'] },
  testMatch: ['<rootDir>/tests/**/*.test.ts'],
  modulePathIgnorePatterns: ['<rootDir>/gateway/dist'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': '@swc/jest' },
  // Tests that start several processes take a minute on a busy machine.
  testTimeout: 120_000,
  testSequencer: '<rootDir>/tests/sequencer.mjs',
  // More than cores, because many tests wait. Each has its own organizations, and processes where necessary.
  maxWorkers: 3,
};
