import { createHash } from 'node:crypto';
import { request } from 'undici';
import { readHtml } from '../../../platform/reading/html-page.ts';
import { extractAttributes } from '../../../subgraphs/catalog/extraction/extract-attributes.ts';
import { readOffers } from '../../../subgraphs/catalog/extraction/read-offers.ts';
import { validateAttributes } from '../../../subgraphs/catalog/extraction/validate-attributes.ts';
import { numbered, type PlainKind, type TakenProduct, textSources, tier, valuesOf } from './kind.ts';
import * as statements from './statements.ts';

const own = ({ about }: TakenProduct) => [about.name, about.brand, about.category].join('\n');

export const enrichment: PlainKind<TakenProduct> = {
  window: 20,
  subject: 'product',
  items: statements.productItems,
  take: statements.takeProduct,

  async work({ model }, item, product, attributes) {
    const sources = numbered(textSources([...product.sources, own(product)]));
    const hashes = sources.map(({ kind, text }) => ({ kind, text, hash: createHash('sha256').update(text).digest('hex') }));
    const extraction = await extractAttributes(model, { tier, attributes, product: product.about, sources });
    const [data, provenance] = valuesOf(extraction, item, attributes, sources);
    const read = JSON.stringify(hashes);
    const { id, organizationId, jobId } = item;
    return [
      [statements.completeValues, id, organizationId, data, provenance],
      [statements.propose, id, organizationId, jobId, product.id, data, provenance],
      [statements.keepTexts, organizationId, read],
      [statements.keepSources, id, organizationId, jobId, product.id, read],
      [statements.merge, product.id, organizationId, data, provenance],
      [statements.enrichmentHistory, organizationId, product.id, id, data, provenance],
    ];
  },
};

export const validation: PlainKind<TakenProduct> = {
  window: 20,
  subject: 'product',
  items: statements.productItems,
  take: statements.takeProduct,

  async work({ model, searchUrl }, { id, organizationId }, product, all) {
    const attributes = all.filter(({ slug }) => product.attributes[slug]);
    const hits = await search(searchUrl, `${product.about.name} specification`);
    const found = hits.map(({ url, title, content }) => ({ kind: 'search' as const, url, title, text: content }));
    const existing = Object.fromEntries(attributes.map(({ slug }) => [slug, product.attributes[slug]!.value]));
    const { judgements } = await validateAttributes(model, {
      tier,
      attributes,
      product: product.about,
      existing,
      sources: numbered([...textSources(product.sources), ...found, ...textSources([own(product)])]),
    });
    const results = attributes.map(({ id: attributeId, slug, name, type }) => [
      slug,
      { attributeId, attributeName: name, attributeType: type, existingValue: existing[slug], ...judgements[slug] },
    ]);
    const score = attributes.reduce((sum, { slug }) => sum + judgements[slug]!.confidence, 0) / attributes.length;
    return [
      [statements.completeVerdicts, id, organizationId, JSON.stringify(Object.fromEntries(results)), score],
      [statements.validationHistory, organizationId, product.id, id, score],
    ];
  },
};

export const market: PlainKind<TakenProduct> = {
  window: 10,
  items: statements.productItems,
  take: statements.takeProduct,

  async work({ model, searchUrl }, { id, organizationId }, { about }) {
    const hits = await search(searchUrl, `${about.name} price buy online`);
    const pages = await Promise.all(hits.map(({ url }) => readShop(url)));
    const sources = numbered(pages.map(({ url, title, text }) => ({ kind: 'page', url, title, text })));
    const { offers } = await readOffers(model, { tier, product: about, sources });
    const results = sources.map((source) => ({ id: crypto.randomUUID(), ...offers.get(source.id), link: source.url }));
    return [[statements.completeOffers, id, organizationId, JSON.stringify(results)]];
  },
};

async function search(address: string, terms: string): Promise<{ url: string; title: string; content: string }[]> {
  const { body } = await request(`${address}?q=${encodeURIComponent(terms)}&format=json`);
  return ((await body.json()) as { results: { url: string; title: string; content: string }[] }).results;
}

async function readShop(url: string) {
  const { body } = await request(url);
  return { url, ...readHtml(await body.text(), url) };
}
