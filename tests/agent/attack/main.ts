/** `npm run attack:agents`: the tests of approvals, and all pairs of the suites. `npm test` plays a sample of them. */
process.env.ATTACK_PAIRS = 'all';
process.argv.push('tests/agent/approvals', 'tests/agent/attack');
await import('../../main.ts');
