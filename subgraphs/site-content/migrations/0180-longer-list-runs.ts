import { Migration } from '@mikro-orm/migrations';
import { replaceRunFunctions } from '../../../platform/lists/index.ts';
import { CONTENT_RUNS } from './0148-list-runs.ts';

/** Runs of 1,000 to 2,000 records instead of half as many. Shorter runs stay until they grow. */
export class LongerListRuns extends Migration {
  override up(): void {
    this.addSql(CONTENT_RUNS.map(replaceRunFunctions).join('\n'));
  }
}
