import type { Page } from 'playwright-core';
import type { Line } from '../report.ts';
import { each, interleave, pick } from '../rounds.ts';
import type { Bench, Note } from '../system.ts';
import { measureMainThread } from './main-thread.ts';

/** Milliseconds of the frames and the long tasks of one measurement. */
interface Smoothness {
  p95: number;
  /** The longest task of the main thread; 0 if none exceeded 50 ms. */
  longest: number;
  /** CPU time of the main thread for one frame. */
  cpu: number;
}

/** The list of products while it scrolls: half of the time like a wheel, half like a drag of the scroll bar through all rows. */
export async function scrolling(page: Page, { rounds, seconds }: Bench, note: Note): Promise<Line[]> {
  const scrollThrough = (organization: string) => async (): Promise<Smoothness> => {
    await page.goto(`/o/${organization}/products?by=name&order=asc`);
    await page.getByRole('row').nth(5).getByRole('link').waitFor();
    const end = await measureMainThread(page);
    const { frames, ...result } = await page.getByRole('region', { name: 'Products' }).evaluate(scroll, seconds * 1_000);
    const cpu = (await end()) / frames;
    // The last rows are read from the server when the scroll ends.
    await page.getByRole('row').last().getByRole('link').waitFor();
    return { ...result, cpu };
  };
  const all = await interleave(rounds, scrollThrough('large'), scrollThrough('kinds'), (text) =>
    note(`scrolling through 100,000 products: ${text}`),
  );
  const line = (name: string, figure: keyof Smoothness, below: number): Line => {
    const pairs = pick(all, (round) => round[figure]);
    return {
      name: `scrolling through 100,000 products, ${name}`,
      peer: 'the same with 1,000',
      pairs,
      unit: 'ms',
      values: pairs.ours,
      below,
    };
  };
  const cpu = pick(all, (round) => round.cpu);
  return [
    line('frame, p95', 'p95', 50),
    line('longest task', 'longest', 100),
    { ...line('CPU of a frame', 'cpu', 0), values: each(cpu, (ours, peer) => peer / ours), below: undefined, atLeast: 0.8 },
  ];
}

/** Runs in the page. */
function scroll(viewport: Element, duration: number): Promise<Omit<Smoothness, 'cpu'> & { frames: number }> {
  const tasks: number[] = [];
  const observer = new PerformanceObserver((list) => tasks.push(...list.getEntries().map((entry) => entry.duration)));
  observer.observe({ type: 'longtask' });
  const frames: number[] = [];
  return new Promise((resolve) => {
    const start = performance.now();
    let last = start;
    const step = (now: number) => {
      frames.push(now - last);
      last = now;
      const share = (now - start) / duration;
      if (share < 0.5) viewport.scrollTop += 60;
      else viewport.scrollTop = (share - 0.5) * 2 * (viewport.scrollHeight - viewport.clientHeight);
      if (share < 1) return void requestAnimationFrame(step);
      observer.disconnect();
      frames.sort((a, b) => a - b);
      resolve({ frames: frames.length, p95: frames[Math.floor(frames.length * 0.95)]!, longest: Math.max(0, ...tasks) });
    };
    requestAnimationFrame(step);
  });
}
