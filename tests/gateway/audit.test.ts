import { conditionsCases } from './audit/conditions.ts';
import { federationCases } from './audit/federation.ts';
import { fragmentsCases } from './audit/fragments.ts';
import { membersCases } from './audit/members.ts';
import { requirementsCases } from './audit/requirements.ts';
import { fronts } from './support/fronts.ts';

const cases = [federationCases, requirementsCases, conditionsCases, fragmentsCases, membersCases];

describe.each(fronts)('through $name', (front) => {
  afterAll(() => front.close());
  for (const declare of cases) declare(front);
});
