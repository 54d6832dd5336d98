export default {
  testEnvironment: 'node',
  testEnvironmentOptions: { customExportConditions: ['node', 'node-addons', 'compiled-gateway-source'] },
  testMatch: ['<rootDir>/tests/**/*.test.ts'],
  modulePathIgnorePatterns: ['<rootDir>/gateway/dist'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': '@swc/jest' },
  // Tests that start several processes take a minute on a busy machine.
  testTimeout: 120_000,
  // Many tests wait for what takes its time; each has organizations, and where it matters processes, of its own.
  maxWorkers: 3,
};
