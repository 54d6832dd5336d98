import { Parser } from 'htmlparser2';
import { Marked } from 'marked';

/** The hosts to which a page with the rendered text would lead, or the scheme of an address without a host. `page.example` is the page itself. */
export async function hostsOf(markdown: string): Promise<string[]> {
  const targets: string[] = [];
  const parser = new Parser({ onattribute: (name, value) => void (/^(href|src)$/.test(name) && targets.push(value)) });
  parser.end(await new Marked({ gfm: true }).parse(markdown));
  // Browsers open no address that they cannot read.
  const urls = targets.flatMap((target) => URL.parse(target, 'https://page.example/') ?? []);
  return urls.map(({ host, protocol, search }) => host || protocol + search);
}
