interface Headers {
  'content-encoding'?: string;
}

/** Whether a body has a content encoding, such as gzip. No part of the product decodes one, so each has to refuse it. */
export function isEncoded({ 'content-encoding': encoding = '' }: Headers): boolean {
  return !/^(\s*identity\s*(,|$))*\s*$/i.test(encoding);
}
