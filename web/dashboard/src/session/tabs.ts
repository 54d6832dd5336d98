/** The id of the user whose session this browser has; null after the user has signed out. */
type News = string | null;

// A second channel in this tab would hear what this one tells.
const channel = new BroadcastChannel('user');

/** Tell the other tabs of the browser. */
export const tellTabs = (news: News): void => channel.postMessage(news);

/** Listen to the other tabs until the result is called. */
export function listenToTabs(listener: (news: News) => void): () => void {
  const receive = ({ data }: MessageEvent<News>) => listener(data);
  channel.addEventListener('message', receive);
  return () => channel.removeEventListener('message', receive);
}
