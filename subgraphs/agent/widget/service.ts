import { Organization } from '../../../platform/identity/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import { Agent } from '../agents/entity.ts';
import { isAllowedOrigin } from '../chat/access.ts';
import type { WidgetConfig } from './types.ts';

const PUBLIC_FIELDS = ['name', 'welcomeMessage', 'placeholder', 'suggestedMessages', 'theme', 'branding'] as const;
const INTERNAL_FIELDS = ['organizationId', 'allowedOrigins', 'voiceEnabled'] as const;

/** Needs no authentication. Throws `NOT_FOUND` if the agent is unknown or not public. */
export async function readConfig(scope: RequestScope, publicSlug: string): Promise<WidgetConfig> {
  // Visitors have no organization, so the public slug alone identifies the agent.
  const unbound = { filters: { organization: false }, fields: [...PUBLIC_FIELDS, ...INTERNAL_FIELDS] } as const;
  const agent = await scope.em.fork().findOne(Agent, { publicSlug, publicAccess: true }, unbound);
  if (!agent) throw fail('NOT_FOUND', 'Agent not found');
  const { name, welcomeMessage, placeholder, suggestedMessages, theme, branding, organizationId, allowedOrigins } = agent;
  const { modules } = await scope.em.findOneOrFail(Organization, organizationId);
  const origin = scope.request.headers.origin ?? null;
  return {
    name,
    welcomeMessage,
    placeholder,
    suggestedMessages,
    theme,
    branding,
    features: { voice: agent.voiceEnabled, handoff: modules.includes('helpdesk') },
    originAllowed: isAllowedOrigin(origin, allowedOrigins, scope.services.dashboardOrigins),
    origin,
  };
}
