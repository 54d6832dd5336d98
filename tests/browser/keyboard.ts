import type { Locator, Page } from 'playwright-core';
import { until } from '../support/until.ts';
import { settle } from './dashboard.ts';

/** More elements than any page has before the next step of a flow. */
const MOST = 90;

/** Uses a page like a person without a pointer. Each element is reached by the Tab key and must show its focus. */
export function keyboardOf(page: Page) {
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  /** Press Tab until the element has the focus. */
  async function to(target: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
    await target.waitFor({ state: 'attached' });
    for (let presses = 0; !(await target.evaluate(isFocused)); presses++) {
      if (presses === MOST) throw new Error(`The Tab key does not reach ${target}`);
      await press(key);
    }
    await settle(page);
    if (!(await target.evaluate(showsFocus))) throw new Error(`The focus is invisible on ${target}`);
  }
  return {
    press,
    to,
    /** Reach a button or link, and press a key there. */
    async use(target: Locator, key = 'Enter') {
      await to(target);
      await press(key);
    },
    /** Replace the text of a field. */
    async write(target: Locator, text: string) {
      await to(target);
      await press('ControlOrMeta+A');
      await page.keyboard.type(text);
    },
    /** Resolves when the element has the focus without a key. */
    hasFocus: (target: Locator) => until(() => target.evaluate(isFocused)),
  };
}

export type Keyboard = ReturnType<typeof keyboardOf>;

const isFocused = (element: Element) => element === document.activeElement;

/** Whether an element looks different from a copy of it without the focus. */
function showsFocus(element: Element): boolean {
  // Fields show their focus on a wrapper, hidden inputs on what follows them.
  const around = element.parentElement!.parentElement!;
  const parts = (root: Element) => [...root.querySelectorAll('*')];
  const index = parts(around).indexOf(element);
  const copy = around.cloneNode(true) as Element;
  // A copy with the same name would uncheck a radio button.
  for (const each of parts(copy)) for (const name of ['name', 'id', 'autofocus']) each.removeAttribute(name);
  around.after(copy);
  const lookOf = (root: Element) => {
    const own = parts(root)[index]!;
    return [own, own.parentElement!, own.nextElementSibling].map((each) => {
      if (!each) return '';
      const { outline, boxShadow, borderColor, backgroundColor, opacity, translate, top } = getComputedStyle(each);
      return [outline, boxShadow, borderColor, backgroundColor, opacity, translate, top].join();
    });
  };
  const [shown, plain] = [lookOf(around).join(), lookOf(copy).join()];
  copy.remove();
  return shown !== plain;
}
