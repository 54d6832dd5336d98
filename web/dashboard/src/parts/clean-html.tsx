import { Typography } from '@mantine/core';
import createPurifier from 'dompurify';
import classes from './clean-html.module.css';

const purifier = createPurifier(window);
purifier.addHook('afterSanitizeAttributes', (node) => {
  if (node.tagName !== 'A') return;
  node.setAttribute('target', '_blank');
  node.setAttribute('rel', 'noopener noreferrer');
});
const allowed = {
  ALLOWED_TAGS: [
    ...['p', 'br', 'strong', 'em', 'del', 'code', 'pre', 'blockquote', 'hr', 'a', 'ul', 'ol', 'li', 'div'],
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'table', 'thead', 'tbody', 'tr', 'th', 'td'],
  ],
  ALLOWED_ATTR: ['href', 'start'],
  ALLOWED_URI_REGEXP: /^(?:https?|mailto):/i,
};

/** HTML without scripts, styles, and anything that loads from an address. */
export const sanitize = (html: string): string => purifier.sanitize(html, allowed);

/** Shows HTML that `sanitize` has cleaned. */
export const CleanHtml = ({ html }: { html: string }) => (
  <Typography className={classes.html}>
    {/* biome-ignore lint/security/noDangerouslySetInnerHtml: the purifier leaves only the allowed tags. */}
    <div dangerouslySetInnerHTML={{ __html: html }} />
  </Typography>
);
