/** The values of the form for a new source. */
export interface SourceValues {
  type: 'url' | 'text' | 'qa';
  name: string;
  url: string;
  text: string;
  qa: { question: string; answer: string }[];
  refreshInterval: string;
}
