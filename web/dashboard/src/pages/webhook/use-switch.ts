import { useMutation } from 'urql';
import { showDone } from '../../parts/toast.ts';
import { useStrings } from '../../strings/strings.tsx';
import type { Webhook } from '../../webhooks/surface.ts';
import { surfaces } from '../../webhooks/surfaces.ts';

/** Enables and disables a webhook. */
export function useSwitch({ id, surface }: Webhook) {
  const { webhooks } = useStrings();
  const { enable, disable } = surfaces[surface];
  const [{ fetching: enabling }, runEnable] = useMutation(enable);
  const [{ fetching: disabling }, runDisable] = useMutation(disable ?? enable);
  const run = async (change: typeof runEnable, message: string) => {
    const { error } = await change({ id });
    if (!error) showDone(message);
  };
  return {
    busy: enabling || disabling,
    enable: () => run(runEnable, webhooks.enabledDone),
    /** Undefined if webhooks of the surface cannot be disabled. */
    disable: disable && (() => run(runDisable, webhooks.disabledDone)),
  };
}
