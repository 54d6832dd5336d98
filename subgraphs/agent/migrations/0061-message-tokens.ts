import { Migration } from '@mikro-orm/migrations';

/** The tokens of each message, counted once, so that a reply reads its history without counting. */
export class MessageTokens extends Migration {
  override up(): void {
    this.addSql('alter table agent.messages add column tokens integer;');
  }
}
