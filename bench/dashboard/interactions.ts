import { setTimeout as wait } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import type { Line } from '../report.ts';
import { each, interleave, pick } from '../rounds.ts';
import type { Bench, Note } from '../system.ts';
import { measureMainThread } from './main-thread.ts';
import { addRunningJobs, updateJobs } from './updates.ts';

/** Milliseconds from an input event to the next frame. */
interface Delays {
  p95: number;
  worst: number;
  /** CPU time of the main thread in each second. */
  cpu: number;
}

declare global {
  interface Window {
    delays: number[];
  }
}

/** Typing, filters and menus on a page that follows jobs with 10,000 updates a minute. */
export async function interactions(page: Page, bench: Bench, note: Note): Promise<Line[]> {
  const { rounds, seconds } = bench;
  const jobs = await addRunningJobs(bench);
  let updates = 0;
  const use = async (): Promise<Delays> => {
    await page.goto(`/o/live/jobs/${jobs[0]}`);
    await page.getByRole('row').nth(5).waitFor();
    await page.evaluate(observe);
    const stop = await measureMainThread(page);
    const end = performance.now() + seconds * 1_000;
    while (performance.now() < end) await useOnce(page);
    const delays = (await page.evaluate(() => window.delays)).toSorted((a, b) => a - b);
    const cpu = (await stop()) / seconds;
    // The browser reports events from 16 ms on.
    return { p95: delays[Math.floor(delays.length * 0.95)] ?? 16, worst: delays.at(-1) ?? 16, cpu };
  };
  const useBusy = async (): Promise<Delays> => {
    const stop = updateJobs(bench, jobs);
    await wait(500);
    const delays = await use();
    updates = await stop();
    return delays;
  };
  const all = await interleave(rounds, useBusy, use, (text) =>
    note(`using a page with ${Math.round(updates)} updates a minute: ${text}`),
  );
  const line = (name: string, figure: keyof Delays): Line => {
    const pairs = pick(all, (delays) => delays[figure]);
    const label = `${Math.round(updates).toLocaleString('en')} updates a minute, interaction to paint, ${name}`;
    return { name: label, peer: 'the same without updates', pairs, unit: 'ms', values: pairs.ours, below: 100 };
  };
  const added = pick(all, ({ cpu }) => cpu);
  const load = { ...line('p95', 'cpu'), name: 'CPU of the main thread in each second of use', pairs: added };
  return [line('p95', 'p95'), line('worst', 'worst'), { ...load, values: each(added, (ours, peer) => ours - peer), below: 300 }];
}

/** Runs in the page. */
function observe(): void {
  window.delays = [];
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as PerformanceEventTiming[])
      if ('interactionId' in entry && entry.interactionId) window.delays.push(entry.duration);
  });
  observer.observe({ type: 'event', durationThreshold: 16 } as PerformanceObserverInit);
}

async function useOnce(page: Page): Promise<void> {
  const search = page.getByRole('searchbox', { name: 'Search' });
  await search.click();
  await page.keyboard.type('lamp');
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.press('Delete');
  await page.locator('label').getByText('Failed', { exact: true }).click();
  await page.locator('label').getByText('All', { exact: true }).click();
  await page.getByRole('button', { name: 'Account' }).click();
  await page.keyboard.press('Escape');
}
