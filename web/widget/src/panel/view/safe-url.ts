const PROTOCOLS = ['http:', 'https:', 'mailto:'];

/** The URL of a link. Undefined for other schemes, such as `javascript:`, and for relative addresses. */
export function safeUrl(text: string | undefined): string | undefined {
  if (!text || !URL.canParse(text)) return undefined;
  const { protocol, href } = new URL(text);
  return PROTOCOLS.includes(protocol) ? href : undefined;
}
