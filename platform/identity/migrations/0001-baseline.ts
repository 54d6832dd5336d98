import { Migration } from '@mikro-orm/migrations';
import { auditLog } from './baseline/audit-log.ts';
import { credits, storage } from './baseline/credits-and-storage.ts';
import { partitions, rowCounts } from './baseline/large-tables.ts';
import { credentials, organizations } from './baseline/organizations.ts';
import { requests } from './baseline/requests.ts';

/** The tables of callers and their accounts, and the mechanisms that every schema uses. */
export class IdentityBaseline extends Migration {
  override up(): void {
    this.addSql('create extension if not exists pg_trgm; create schema identity');
    for (const sql of [organizations, credentials, auditLog, credits, storage, requests, rowCounts, partitions]) this.addSql(sql);
  }
}
