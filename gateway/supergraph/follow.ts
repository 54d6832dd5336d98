import type { SupergraphLocation } from './location.ts';

/** How a look for a new supergraph ended. Looks that find no change are not reported. */
export type SupergraphOutcome =
  /** The gateway serves the new supergraph. */
  | 'applied'
  /** The new supergraph does not build; the gateway serves the old one. */
  | 'refused'
  /** The location cannot be read; the gateway serves the old supergraph. */
  | 'unreadable'
  /** The location can be read again and still has the supergraph that the gateway serves. */
  | 'recovered';

export interface FollowOptions {
  location: SupergraphLocation;
  /** Serve this supergraph from now on. Rejects when it does not build. */
  replace(supergraph: string): Promise<void>;
  /** Called when a supergraph was applied or refused, and when reading begins to fail, fails for another reason or recovers. */
  onOutcome(outcome: SupergraphOutcome, error?: Error): void;
}

/** Read the location at its interval and replace the supergraph when it has changed. Returns a function that ends it. */
export function followSupergraph({ location, replace, onOutcome }: FollowOptions): () => Promise<void> {
  let timer: NodeJS.Timeout;
  let failure: string | undefined;
  let isRefused = false;
  let ended = false;

  const look = async () => {
    let text: string | undefined;
    try {
      text = await location.readChange();
      if (failure !== undefined && text === undefined && !isRefused) onOutcome('recovered');
      failure = undefined;
    } catch (error) {
      const { message } = error as Error;
      if (message !== failure) onOutcome('unreadable', error as Error);
      failure = message;
    }
    if (text === undefined || ended) return;
    try {
      await replace(text);
      isRefused = false;
      onOutcome('applied');
    } catch (error) {
      isRefused = true;
      onOutcome('refused', error as Error);
    }
  };
  let looking: Promise<void> = Promise.resolve();
  const schedule = () => {
    timer = setTimeout(() => {
      looking = look().finally(() => !ended && schedule());
    }, location.interval).unref();
  };
  schedule();

  return async () => {
    ended = true;
    clearTimeout(timer);
    await location.close();
    await looking;
  };
}
