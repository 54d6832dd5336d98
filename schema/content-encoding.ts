interface Headers {
  'content-encoding'?: string;
}

/** Whether a body has a content encoding, such as gzip. The servers do not decode bodies, so they must reject these. */
export function isEncoded({ 'content-encoding': encoding = '' }: Headers): boolean {
  return !/^(\s*identity\s*(,|$))*\s*$/i.test(encoding);
}
