import { Typography } from '@mantine/core';
import createPurifier from 'dompurify';
import { Marked } from 'marked';
import { useMemo } from 'react';
import classes from './chat.module.css';

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const asText = (text: string) => text.replace(/[&<>"]/g, (character) => entities[character]!);
/** HTML stays text, and an image becomes its description. */
const parser = new Marked({
  gfm: true,
  breaks: true,
  renderer: { html: ({ text }) => asText(text), image: ({ text }) => asText(text) },
});

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

function htmlOf(text: string): string {
  try {
    return purifier.sanitize(parser.parse(text, { async: false }), allowed);
  } catch {
    // Very deep nesting exhausts the stack of the parser.
    return asText(text);
  }
}

/** Markdown of a model. It contains no markup of its own, and makes no requests. */
export function Markdown({ text }: { text: string }) {
  const html = useMemo(() => htmlOf(text), [text]);
  return (
    <Typography className={classes.markdown}>
      {/* biome-ignore lint/security/noDangerouslySetInnerHtml: the purifier leaves only the allowed tags. */}
      <div dangerouslySetInnerHTML={{ __html: html }} />
    </Typography>
  );
}
