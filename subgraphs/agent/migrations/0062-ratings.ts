import { Migration } from '@mikro-orm/migrations';

/** The rating of a reply by its visitor. */
export class Ratings extends Migration {
  override up(): void {
    this.addSql(`
      alter table agent.messages add column rating text, add column rating_comment text, add column rated_at timestamptz;
      create index messages_rated on agent.messages (organization_id, rating, conversation_id) where rating is not null;
    `);
  }
}
