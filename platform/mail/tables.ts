import type { Tables } from '../database/index.ts';
import { MailBaseline } from './migrations/0001-baseline.ts';

/** The tables of outgoing mail. They are read and written by SQL only. */
export const mailTables: Tables = {
  entities: [],
  migrations: [{ name: 'mail-0001', class: MailBaseline }],
};
