import type { OnDemandStrings } from '../en/on-demand.ts';

export const figures: OnDemandStrings['figures'] = {
  text: 'Was Besucher erlebt haben. Gespräche im Testbereich zählen nicht. Tage sind in UTC. Jede Zahl führt zu ihren Gesprächen.',
  range: 'Tage',
  ranges: { 7: '7 Tage', 30: '30 Tage', 90: '90 Tage' },
  none: 'Keine Fragen an diesen Tagen',
  noneText: 'Hier erscheinen die Fragen der Besucher.',
  questions: 'Fragen',
  answered: 'Beantwortet',
  handoffs: 'Übergeben',
  firstToken: 'Erster Text',
  end: 'Ganze Antwort',
  times: (median, high) => `${median} · 95 % in ${high}`,
  milliseconds: (text) => `${text} ms`,
  seconds: (text) => `${text} s`,
  tokens: 'Tokens',
  tokensOf: (input, output) => `${input} gelesen, ${output} geschrieben`,
  share: (count, percent) => `${count} (${percent})`,
  byDay: 'Nach Tagen',
  day: 'Tag',
  byVersion: 'Nach Versionen',
  sources: 'Meistzitierte Quellen',
  deleted: 'Gelöschte Quelle',
  replies: 'Antworten',
  noSources: 'Keine Antwort zitiert eine Quelle.',
  topics: 'Häufigste Themen',
  topicsText: (count, text) =>
    count === 1
      ? 'Aus der neuesten Frage, die mit Quellen verglichen wurde.'
      : `Aus den neuesten ${text} Fragen, die mit Quellen verglichen wurden.`,
  noTopics: 'Keine zwei Fragen sind ähnlich.',
  newest: 'Neueste Fragen',
  filtered: 'Gespräche einer Kennzahl',
  allConversations: 'Alle Gespräche zeigen',
  ofVersion: (version) => (version === 0 ? 'Ohne Version' : `Version ${version}`),
  citing: 'Zitiert eine Quelle',
};
