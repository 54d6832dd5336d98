import type { SupergraphLocation } from './location.ts';

/** The outcome of a poll. Polls without a change are not reported. */
export type SupergraphOutcome =
  /** The gateway serves the new supergraph. */
  | 'applied'
  /** The new supergraph does not build; the gateway serves the old one. */
  | 'refused'
  /** The location cannot be read; the gateway serves the old supergraph. */
  | 'unreadable'
  /** The location is readable again and unchanged. */
  | 'recovered';

export interface FollowOptions {
  location: SupergraphLocation;
  /** Replace the supergraph. Rejects when the new one does not build. */
  replace(supergraph: string): Promise<void>;
  /** Called when a supergraph is applied or refused, and when reading starts to fail, fails for another reason or recovers. */
  onOutcome(outcome: SupergraphOutcome, error?: Error): void;
}

/** Poll the location and replace the supergraph when it changes. Returns a function that stops polling. */
export function followSupergraph({ location, replace, onOutcome }: FollowOptions): () => Promise<void> {
  let timer: NodeJS.Timeout;
  let failure: string | undefined;
  let isRefused = false;
  let ended = false;

  const poll = async () => {
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
  let polling: Promise<void> = Promise.resolve();
  const schedule = () => {
    timer = setTimeout(() => {
      polling = poll().finally(() => !ended && schedule());
    }, location.interval).unref();
  };
  schedule();

  return async () => {
    ended = true;
    clearTimeout(timer);
    await location.close();
    await polling;
  };
}
