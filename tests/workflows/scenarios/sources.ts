import { ApplicationFailure } from '@temporalio/activity';
import type { NextStep } from '../../../subgraphs/agent/ingestion/source-state.ts';
import type { Bench } from '../bench.ts';
import { failure } from './support.ts';

/** Scenarios of knowledge sources. */
export const sources = {
  async indexed({ index }: Bench) {
    const log: string[] = [];
    const next = (name: NextStep['step'], following: NextStep['step'], waitMs?: number) => async (): Promise<NextStep> => {
      log.push(name);
      return { step: following, ...(waitMs && { waitMs }) };
    };
    const pages = [next('crawlPage', 'crawlPage', 20), next('crawlPage', 'chunkSource')];
    await index({
      beginSource: async () => ({ step: 'discoverPages' }),
      discoverPages: next('discoverPages', 'crawlPage'),
      crawlPage: () => pages.shift()!(),
      chunkSource: next('chunkSource', 'embedChunks'),
      embedChunks: next('embedChunks', 'publishChunks'),
      publishChunks: next('publishChunks', 'done'),
    });
    return log;
  },

  async sourceFailing({ index }: Bench) {
    const log: string[] = [];
    await index({
      beginSource: async () => ({ step: 'embedChunks' }),
      embedChunks: async () => {
        log.push('embedChunks');
        throw failure('ProviderFault', 'models.example answered 503');
      },
      failSource: async (_, reason) => void log.push(reason),
    });
    return log;
  },

  async sourceEnds({ index }: Bench) {
    const ends: boolean[] = [];
    const fail = async () => {
      throw ApplicationFailure.nonRetryable('No text', 'IngestionFailure');
    };
    const failSource = async (_source: unknown, _reason: string, hasBegun?: boolean) => void ends.push(hasBegun!);
    await index({ beginSource: fail, failSource });
    await index({ beginSource: async () => ({ step: 'chunkSource' }), chunkSource: fail, failSource });
    return ends;
  },
};
