import type { GapRulesQuery, GapSelection } from '../../../.graph/graphql.ts';
import { graphql } from '../../graph/graph-hooks.ts';

/** The rules that fill gaps, with their last jobs. */
export const RULES = graphql(`
  query GapRules {
    gapRules {
      id name selection attributeSetId attributeIds modelType websearch agreement autoAccept maxCredits triggers
      paused haltedBy isScanning checkedAt spent
      runs { gaps gapsLeft job { id kind status paused totalCount cost createdAt } }
    }
  }
`);
export type Rule = Omit<GapRulesQuery['gapRules'][number], 'selection'> & { selection: GapSelection };
