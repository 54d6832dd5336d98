const names = (text: string) => new Set(text.split(' '));

const silent = names(
  'head script style template noscript svg math nav aside iframe object embed canvas audio video button select input textarea',
);
const block = names(
  'address article blockquote body caption center dd details dialog div dl fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 ' +
    'header hr html legend li main ol option p pre section summary table tbody tfoot thead ul',
);

/** Tags without readable content. */
export const isDropped = (name: string, keepForms: boolean) => silent.has(name) || (name === 'form' && !keepForms);
/** Page headers and footers. A header inside the content may contain its title. */
export const isFramed = (name: string) => name === 'header' || name === 'footer';
export const startsContent = (name: string) => name === 'main' || name === 'article';
export const isBlock = (name: string) => block.has(name);
