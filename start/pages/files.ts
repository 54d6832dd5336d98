import { join, resolve } from 'node:path';
import type { PageFiles } from '../../server/pages.ts';

export const root = resolve(import.meta.dirname, '../..');

/** The folder with the workspaces of the pages. */
export const web = join(root, 'web');

/** Where the builds of the pages are. */
export const pageFiles: PageFiles = {
  dashboard: join(web, 'dashboard', 'dist'),
  widget: join(web, 'widget', 'dist', 'widget.js'),
};
