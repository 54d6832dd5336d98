import { createRef, render } from 'preact';
import type { MountPanel } from '../widget-contract.ts';
import { Conversation } from './chat/conversation.ts';
import { Voice } from './chat/voice.ts';
import composerCss from './composer.css?inline';
import messagesCss from './messages.css?inline';
import panelCss from './panel.css?inline';
import { PanelScope } from './view/hooks.ts';
import { PanelView } from './view/panel-view.tsx';

/** Create the panel in its container. The loader calls it once. */
export const mountPanel: MountPanel = (context) => {
  const { container, shadow, config, strings, language, close } = context;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(panelCss + messagesCss + composerCss);
  shadow.adoptedStyleSheets = [...shadow.adoptedStyleSheets, sheet];
  const conversation = new Conversation(context);
  const voice = new Voice(conversation.endpoint, strings);
  const dialog = createRef<HTMLDivElement>();
  const focusInput = () => {
    const input = dialog.current?.querySelector<HTMLElement>('.composer textarea');
    const isTouch = matchMedia('(pointer: coarse)').matches;
    (isTouch ? dialog.current : (input ?? dialog.current))?.focus();
  };
  // The input is rendered after the change that shows it.
  const scope = { conversation, voice, config, strings, close, focusInput: () => void setTimeout(focusInput) };
  const draw = (isOpen: boolean) =>
    render(
      <PanelScope.Provider value={scope}>
        <PanelView isOpen={isOpen} language={language} dialog={dialog} />
      </PanelScope.Provider>,
      container,
    );
  draw(false);
  void conversation.load();
  return {
    show({ focus }) {
      draw(true);
      conversation.show();
      if (focus) focusInput();
    },
    hide() {
      draw(false);
      conversation.hide();
      voice.end();
    },
    send: (text) => conversation.send(text),
    restart: () => void conversation.restart(),
  };
};
