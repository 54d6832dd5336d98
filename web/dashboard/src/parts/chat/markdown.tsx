import { Typography } from '@mantine/core';
import createPurifier from 'dompurify';
import { marked } from 'marked';
import { useMemo } from 'react';
import classes from './chat.module.css';

const purifier = createPurifier(window);
purifier.addHook('afterSanitizeAttributes', (node) => {
  if (node.tagName !== 'A') return;
  node.setAttribute('target', '_blank');
  node.setAttribute('rel', 'noopener noreferrer');
});
const allowed = {
  ALLOWED_TAGS: [
    ...['p', 'br', 'strong', 'em', 'del', 'code', 'pre', 'blockquote', 'hr', 'a', 'ul', 'ol', 'li'],
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'table', 'thead', 'tbody', 'tr', 'th', 'td'],
  ],
  ALLOWED_ATTR: ['href', 'start'],
  ALLOWED_URI_REGEXP: /^(?:https?|mailto):/i,
};

/** Markdown of a model or a visitor. Images, scripts and other markup are removed, so it makes no requests. */
export function Markdown({ text }: { text: string }) {
  const html = useMemo(() => purifier.sanitize(marked.parse(text, { async: false, gfm: true, breaks: true }), allowed), [text]);
  return (
    <Typography className={classes.markdown}>
      {/* biome-ignore lint/security/noDangerouslySetInnerHtml: the purifier leaves only the allowed tags. */}
      <div dangerouslySetInnerHTML={{ __html: html }} />
    </Typography>
  );
}
