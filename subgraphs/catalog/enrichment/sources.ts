import { createHash } from 'node:crypto';
import { addressOf, log } from '../../common/log.ts';
import type { Source } from '../../common/model/source.ts';
import { type Image, readImage } from '../../common/outbound/image.ts';
import { type Page, readPage } from '../../common/outbound/page.ts';
import { OutboundRefused } from '../../common/outbound/refusal.ts';
import { searchWeb, type WebQuestion } from '../../common/web-search.ts';
import type { Job } from '../jobs/entity.ts';
import { ItemFailure } from '../jobs/failure.ts';
import type { WorkScope } from '../jobs/kind.ts';
import type { Product } from '../products/entity.ts';
import { groundingOf } from '../uploads/grounding.ts';

export type ReadSource = Source & { contentHash: string };

const MAX_IMAGES = 8;
const isUrl = (reference: string) => /^https?:\/\/\S+$/i.test(reference.trim());
const hash = (text: string) => createHash('sha256').update(text).digest('hex');

/**
 * Collects the sources of a product: its texts and pages, web search results, uploaded files and its own record. Throws
 * `ItemFailure` if the product has only pages and none can be fetched.
 */
export async function collectSources(
  scope: WorkScope,
  job: Job,
  product: Product,
): Promise<{ sources: ReadSource[]; images: SourceImage[]; pictures: string[] }> {
  const references = product.userProvidedRawDataSources.filter((reference) => reference.trim() !== '');
  const texts = references.filter((reference) => !isUrl(reference));
  const urls = references.filter(isUrl);
  const pages = (await Promise.all(urls.map((url) => tryReadPage(scope, url.trim())))).filter((page) => page !== undefined);
  const searched = (job.websearch && (await searchWeb(scope, job.modelType, questionAbout(product)))) || [];
  const files = await groundingOf(scope, job.uploadedFileIds, [product.sku, product.mpn ?? '', product.name]);
  const found = pages.length + texts.length + searched.length + files.texts.length + files.images.length;
  if (urls.length > 0 && found === 0) throw new ItemFailure('Unable to fetch source data');

  const read = [
    ...texts.map((text) => ({ kind: 'text' as const, url: null, text })),
    ...pages.map(({ url, title, text }) => ({ kind: 'page' as const, url, title, text })),
    ...searched.map(({ url, title, text }) => ({ kind: 'search' as const, url, title, text })),
    ...files.texts.map(({ title, text }) => ({ kind: 'file' as const, url: null, title, text })),
    // The name can contain values, for example 'Cordless drill 18 V, 2 Ah'.
    { kind: 'text' as const, url: null, text: [product.name, product.brand, product.category].filter(Boolean).join('\n') },
  ];
  const images = job.extractImages ? await collectImages(scope, pages) : [];
  return { sources: toReadSources(read), images, pictures: files.images };
}

/** Adds the id used in model requests and the hash of the text. */
export const toReadSources = (sources: Omit<Source, 'id'>[]): ReadSource[] =>
  sources.map((source, index) => ({ id: `s${index + 1}`, ...source, contentHash: hash(source.text) }));

function questionAbout({ name, brand, mpn, sku }: Product): WebQuestion {
  const known = [brand, name, mpn && `part number ${mpn}`, `SKU ${sku}`].filter(Boolean).join(', ');
  return {
    question: `Find the technical specification of this product: ${known}. Cite the manufacturer's page first.`,
    terms: [brand, name, mpn, 'specification'].filter(Boolean).join(' '),
  };
}

/** Returns undefined if the page cannot be read. The reason goes only to the log, because users choose the address. */
export async function tryReadPage({ outbound, signal }: WorkScope, url: string): Promise<Page | undefined> {
  try {
    return await readPage(outbound, url, signal);
  } catch (error) {
    if (!(error instanceof OutboundRefused)) throw error;
    log.info({ address: addressOf(url), kind: error.kind }, 'Failed to read a source page');
    return undefined;
  }
}

async function collectImages({ outbound, signal }: WorkScope, pages: Page[]): Promise<SourceImage[]> {
  const wanted = pages.flatMap(({ url, images }) => images.map((image) => ({ ...image, sourceUrl: url }))).slice(0, MAX_IMAGES);
  const read = await Promise.all(
    wanted.map(({ url, alt, sourceUrl }) =>
      readImage(outbound, url, signal).then(
        (image) => ({ ...image, alt, sourceUrl }),
        (error: unknown) => {
          if (error instanceof OutboundRefused) return undefined;
          throw error;
        },
      ),
    ),
  );
  return read.filter((image) => image !== undefined);
}

/** An image on a page, with its alternative text. */
export type SourceImage = Image & { sourceUrl: string; alt: string };
