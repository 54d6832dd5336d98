import { Migration } from '@mikro-orm/migrations';

/** Speeds up finding the message of a job in an outbox that grew while Temporal was down. */
export class Queues extends Migration {
  override up(): void {
    this.addSql(`create index outbox_job on identity.outbox ((payload ->> 'jobId'));`);
  }
}
