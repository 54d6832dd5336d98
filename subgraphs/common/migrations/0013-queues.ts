import { Migration } from '@mikro-orm/migrations';

/** Lets a message of a job be found in an outbox that has grown while Temporal was away. */
export class Queues extends Migration {
  override up(): void {
    this.addSql(`create index outbox_job on identity.outbox ((payload ->> 'jobId'));`);
  }
}
