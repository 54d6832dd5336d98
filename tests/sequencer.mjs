import { relative } from 'node:path';
import Sequencer from '@jest/test-sequencer';
import seconds from './seconds.json' with { type: 'json' };

/**
 * The share of the run in which the files of a group start, spread evenly and the longest ones first. Slow files that wait and browsers that
 * compute then run side by side, and no long file runs alone at the end. The first group that matches counts.
 */
const groups = [
  { path: /tests[\\/]browser/, share: 0.75 },
  {
    // These start processes and wait for faults.
    path: /tests[\\/](start|faults|federation|webhooks|workflows|review|gateway[\\/](plan|http[\\/]flood)|identity[\\/]tenancy|integration[\\/](poller|cuts)|agent[\\/](sources[\\/]crawl|chat))/,
    share: 0.85,
  },
  { path: /./, share: 1 },
];

export default class Spread extends Sequencer {
  sort(tests) {
    const groupOf = ({ path }) => groups.find((group) => group.path.test(path));
    const secondsOf = ({ path, context }) => seconds[relative(context.config.rootDir, path)] ?? 0;
    const grouped = Map.groupBy(
      super.sort(tests).toSorted((a, b) => secondsOf(b) - secondsOf(a)),
      groupOf,
    );
    const placed = [...grouped].flatMap(([{ share }, members]) =>
      members.map((test, at) => ({ test, place: (share * at) / members.length })),
    );
    return placed.toSorted((a, b) => a.place - b.place).map(({ test }) => test);
  }
}
