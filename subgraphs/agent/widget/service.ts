import { fail } from '../../../schema/errors.ts';
import { Organization } from '../../common/identity/entity.ts';
import type { RequestScope } from '../../common/scope.ts';
import { Agent } from '../agents/entity.ts';
import type { WidgetConfig } from './types.ts';

const SHOWN = ['name', 'welcomeMessage', 'placeholder', 'suggestedMessages', 'theme', 'branding'] as const;
const ASKED = ['organizationId', 'allowedOrigins', 'voiceEnabled'] as const;

/** What a widget starts from, whoever asks. Throws `NOT_FOUND` for an agent that is unknown or not public. */
export async function readConfig(scope: RequestScope, publicSlug: string): Promise<WidgetConfig> {
  // A visitor belongs to no organization: the public slug alone finds the agent.
  const unbound = { filters: { organization: false }, fields: [...SHOWN, ...ASKED] } as const;
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
    originAllowed: isAllowed(origin, allowedOrigins, scope.services.dashboardOrigin),
    origin,
  };
}

/** Origins match to the letter; the dashboard may always show the widget. */
function isAllowed(origin: string | null, allowedOrigins: readonly string[], dashboardOrigin?: string): boolean {
  return origin !== null && (origin === dashboardOrigin || allowedOrigins.includes(origin));
}
