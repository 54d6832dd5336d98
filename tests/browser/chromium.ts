import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

// The headless shell takes half of the processor time, because it has no parts of a desktop browser.
const programs = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];
const executablePath = programs.map((name) => `/usr/bin/${name}`).find(existsSync);
const args = ['--no-sandbox', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

/** Whether a browser is installed. */
export const hasBrowser = executablePath !== undefined;

/** Start the installed browser without a window. */
export const startBrowser = (more: string[] = []): Promise<Browser> =>
  chromium.launch({ executablePath, args: [...args, ...more] });
