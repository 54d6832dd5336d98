import Sequencer from '@jest/test-sequencer';

/** Folders whose files take longest, because they start processes and wait for faults. */
const SLOW =
  /tests[\\/](browser|start|faults|federation|webhooks|workflows|gateway[\\/]plan|identity[\\/]tenancy|integration[\\/](poller|cuts)|agent[\\/](crawl|chat-resume))/;

/** Starts slow files first, so that no long file runs alone at the end. Jest does the same, but only from its second run on. */
export default class SlowFirst extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    const isSlow = ({ path }) => SLOW.test(path);
    return [...sorted.filter(isSlow), ...sorted.filter((test) => !isSlow(test))];
  }
}
