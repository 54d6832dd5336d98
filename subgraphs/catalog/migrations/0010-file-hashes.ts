import { Migration } from '@mikro-orm/migrations';

export class FileHashes extends Migration {
  override up(): void {
    this.addSql(`alter table catalog.files add column hash bytea;`);
  }
}
