import type { ComponentChildren } from 'preact';
import { safeUrl } from './safe-url.ts';

/** A link that opens in a new tab and learns nothing of the page. Text if its URL is not safe. */
export function Link({ href, children }: { href: string | undefined; children: ComponentChildren }) {
  const url = safeUrl(href);
  if (!url) return <>{children}</>;
  return (
    <a href={url} target="_blank" rel="noopener noreferrer nofollow" referrerpolicy="no-referrer">
      {children}
    </a>
  );
}
