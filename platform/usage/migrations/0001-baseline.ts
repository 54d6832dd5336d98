import { Migration } from '@mikro-orm/migrations';
import { DEFAULT_SCHEMA, registryTables } from 'compiled-gateway/registry';

/** The operations that the graph ran, and its schemas. They belong to no organization, and only operators read them. */
export class UsageBaseline extends Migration {
  override up(): void {
    this.addSql(registryTables(DEFAULT_SCHEMA));
  }
}
