import type { WidgetConfig } from '../contract.ts';
import { report } from './report.ts';
import type { Settings } from './settings.ts';

/** Milliseconds before each retry of a configuration that could not be loaded. */
const RETRIES = [2_000, 10_000, 60_000];

/** The configuration of the agent. Returns undefined, and says why, when the page cannot show the widget. */
export async function loadConfig({ endpoint, agent }: Settings, attempt = 0): Promise<WidgetConfig | undefined> {
  const response = await fetch(`${endpoint}/config`, { credentials: 'omit' }).catch(() => undefined);
  if (!response || response.status >= 500 || response.status === 429) {
    const delay = RETRIES[attempt];
    if (delay === undefined) return void report(`The configuration of the agent "${agent}" could not be loaded from ${endpoint}.`);
    await new Promise((resolve) => setTimeout(resolve, delay));
    return loadConfig({ endpoint, agent } as Settings, attempt + 1);
  }
  if (!response.ok)
    return void report(
      `There is no public agent "${agent}". Copy data-agent from the embed snippet of the agent, and turn on its public access in the dashboard.`,
    );
  const config = (await response.json()) as WidgetConfig;
  if (config.originAllowed) return config;
  return void report(
    `Pages of ${config.origin ?? location.origin} may not embed the agent "${config.name}". ` +
      `In the dashboard, open Agents → ${config.name} → Allowed origins, and add exactly: ${config.origin ?? location.origin}`,
  );
}
