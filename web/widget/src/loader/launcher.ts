import type { Strings } from '../strings/en.ts';

const SVG = 'http://www.w3.org/2000/svg';
const CHAT =
  'M12 3C6.5 3 2 6.9 2 11.7c0 2.5 1.2 4.8 3.2 6.4-.1 1-.6 2.2-1.5 3.3 2 0 3.8-.7 5-1.5 1 .3 2.1.4 3.3.4 5.5 0 10-3.9 10-8.6S17.5 3 12 3Z';
const CLOSE = 'M6.4 5 5 6.4 10.6 12 5 17.6 6.4 19 12 13.4 17.6 19 19 17.6 13.4 12 19 6.4 17.6 5 12 10.6 6.4 5Z';

export interface Launcher {
  element: HTMLElement;
  focus(): void;
  update(state: { isOpen: boolean; isLoading: boolean; unread: number }): void;
}

/** The button that opens and closes the chat, with its badge. A landmark, because it is outside of the page's own ones. */
export function createLauncher(agent: string, strings: Strings, onClick: () => void): Launcher {
  const region = Object.assign(document.createElement('section'), { className: 'launcher', ariaLabel: agent });
  const button = Object.assign(document.createElement('button'), { type: 'button', ariaHasPopup: 'dialog' });
  const badge = Object.assign(document.createElement('span'), { className: 'badge', ariaHidden: 'true', hidden: true });
  const path = document.createElementNS(SVG, 'path');
  const icon = document.createElementNS(SVG, 'svg');
  icon.setAttribute('viewBox', '0 0 24 24');
  icon.setAttribute('aria-hidden', 'true');
  icon.append(path);
  button.append(icon, badge);
  button.addEventListener('click', onClick);
  region.append(button);
  const launcher: Launcher = {
    element: region,
    focus: () => button.focus(),
    update({ isOpen, isLoading, unread }) {
      path.setAttribute('d', isOpen ? CLOSE : CHAT);
      const label = isOpen ? strings.closeChat : strings.openChat;
      button.ariaLabel = unread > 0 ? `${label} (${strings.unread(unread)})` : label;
      button.ariaExpanded = String(isOpen);
      button.ariaBusy = String(isLoading);
      badge.hidden = unread === 0;
      badge.textContent = unread > 99 ? '99+' : String(unread);
    },
  };
  launcher.update({ isOpen: false, isLoading: false, unread: 0 });
  return launcher;
}
