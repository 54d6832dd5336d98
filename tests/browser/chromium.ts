import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
const args = ['--no-sandbox', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

/** Whether a browser is installed. */
export const hasBrowser = executablePath !== undefined;

/** Start the installed browser without a window. */
export const startBrowser = (more: string[] = []): Promise<Browser> =>
  chromium.launch({ executablePath, args: [...args, ...more] });
