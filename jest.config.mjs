export default {
  testEnvironment: 'node',
  testEnvironmentOptions: { customExportConditions: ['node', 'node-addons', 'compiled-gateway-source'] },
  testMatch: ['<rootDir>/tests/**/*.test.ts'],
  modulePathIgnorePatterns: ['<rootDir>/gateway/dist'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': '@swc/jest' },
  testTimeout: 60_000,
  // Many tests wait for what takes its time; each has organizations, and where it matters processes, of its own.
  maxWorkers: 3,
};
