import { languageOf } from '../language.ts';

/** The words that mails add to the texts of the team and the agent. */
const words = {
  en: {
    you: 'You',
    canReply: 'You can reply to this mail.',
    conversationWith: (agent: string) => `Your conversation with ${agent}`,
  },
  de: {
    you: 'Sie',
    canReply: 'Sie können auf diese Mail antworten.',
    conversationWith: (agent: string) => `Ihr Gespräch mit ${agent}`,
  },
};

/** The words in the language of the texts; in English if that is neither English nor German. */
export const wordsFor = (...texts: string[]) => words[languageOf(texts.join('\n')) === 'de' ? 'de' : 'en'];
