import { Box, Group, Input, Paper, SegmentedControl, Textarea, type TextareaProps, Typography } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useStrings } from '../strings/strings.tsx';

/** Edits HTML as text, with a preview. The server removes everything outside its allow-list. */
export function HtmlInput(props: TextareaProps & { value: string }) {
  const { content } = useStrings();
  const [view, setView] = useState('html');
  const { label, value } = props;
  return (
    <Box>
      <Group justify="end" mb={4}>
        <SegmentedControl
          size="xs"
          aria-label={`${label}: ${content.view}`}
          value={view}
          onChange={setView}
          data={[
            { value: 'html', label: 'HTML' },
            { value: 'preview', label: content.preview },
          ]}
        />
      </Group>
      {view === 'html' ? (
        <Textarea {...props} autosize minRows={6} maxRows={24} spellCheck styles={{ input: { fontFamily: 'monospace' } }} />
      ) : (
        <Input.Wrapper label={label} labelElement="div">
          <Preview html={value} />
        </Input.Wrapper>
      )}
    </Box>
  );
}

/** Images are left out, because the page requests nothing from other hosts. */
function Preview({ html }: { html: string }) {
  const [clean, setClean] = useState('');
  useEffect(() => {
    let isCurrent = true;
    void import('dompurify').then(({ default: purify }) => {
      const fragment = purify.sanitize(html, {
        FORBID_TAGS: ['img', 'style', 'form', 'input', 'video', 'audio', 'svg'],
        FORBID_ATTR: ['style', 'class', 'id'],
        RETURN_DOM: true,
      }) as HTMLElement;
      // A link that opened in this tab would drop the unsaved edits.
      for (const link of fragment.querySelectorAll('a')) Object.assign(link, { target: '_blank', rel: 'noopener noreferrer' });
      if (isCurrent) setClean(fragment.innerHTML);
    });
    return () => {
      isCurrent = false;
    };
  }, [html]);
  return (
    <Paper withBorder p="md" mih={160}>
      <Typography>
        {/* biome-ignore lint/security/noDangerouslySetInnerHtml: sanitized right above. */}
        <div dangerouslySetInnerHTML={{ __html: clean }} />
      </Typography>
    </Paper>
  );
}
