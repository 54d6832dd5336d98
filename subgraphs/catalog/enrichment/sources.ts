import { createHash } from 'node:crypto';
import { sharedDataUrlOf } from '../../../platform/files/index.ts';
import { type Source, searchWeb, type WebQuestion } from '../../../platform/model/index.ts';
import {
  type Image,
  MAX_IMAGE_BYTES,
  MAX_PAGE_BYTES,
  OutboundRefused,
  type Page,
  readImage,
  readPage,
} from '../../../platform/outbound/index.ts';
import { MAX_TEXT } from '../../../platform/reading/index.ts';
import { log } from '../../../platform/telemetry/index.ts';
import { addressOf } from '../../../schema/logged-error.ts';
import type { Job } from '../jobs/entity.ts';
import { ItemFailure, type WorkScope } from '../jobs/job-kind.ts';
import { imageMemory } from '../jobs/memory.ts';
import type { Product } from '../products/entity.ts';
import { groundingOf, type Picture, picturesOf } from '../uploads/grounding.ts';

export type ReadSource = Source & { contentHash: string };

/** Bytes of a character, and of a page while it is read: the response and its decompressed body. */
const [CHARACTER, READING] = [2, 2 * MAX_PAGE_BYTES];
const isUrl = (reference: string) => /^https?:\/\/\S+$/i.test(reference.trim());
const hash = (text: string) => createHash('sha256').update(text).digest('hex');

/**
 * Collects the sources of a product: its texts and pages, web search results, uploaded files and its own record. Throws
 * `ItemFailure` if the product has only pages and none can be fetched.
 * @param requests concurrent requests to the model that contain the images
 */
export async function collectSources(
  scope: WorkScope,
  job: Job,
  product: Product,
  { requests }: { requests: number },
): Promise<{ sources: ReadSource[]; images: SourceImage[]; pictures: string[] }> {
  const references = product.userProvidedRawDataSources.filter((reference) => reference.trim() !== '');
  const texts = references.filter((reference) => !isUrl(reference));
  const urls = references.filter(isUrl);
  const pages = await readPages(scope, urls);
  const searched = (job.websearch && (await searchWeb(scope, job.modelType, questionAbout(product)))) || [];
  const files = await groundingOf(scope, job.uploadedFileIds, [product.sku, product.mpn ?? '', product.name]);
  const pictures = await picturesOf(scope, job.uploadedFileIds);
  const found = pages.length + texts.length + searched.length + files.length + pictures.length;
  if (urls.length > 0 && found === 0) throw new ItemFailure('Unable to fetch source data');

  const read = [
    ...texts.map((text) => ({ kind: 'text' as const, url: null, text })),
    ...pages.map(({ url, title, text }) => ({ kind: 'page' as const, url, title, text })),
    ...searched.map(({ url, title, text }) => ({ kind: 'search' as const, url, title, text })),
    ...files.map(({ title, text }) => ({ kind: 'file' as const, url: null, title, text })),
    // The name can contain values, for example 'Cordless drill 18 V, 2 Ah'.
    { kind: 'text' as const, url: null, text: [product.name, product.brand, product.category].filter(Boolean).join('\n') },
  ];
  return { sources: toReadSources(read), ...(await loadImages(scope, job, { files: pictures, pages, requests })) };
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

/** Read the pages that can be read, once per item. Waits for memory, and the item holds the memory of the texts. */
export async function readPages(scope: WorkScope, urls: string[]): Promise<Page[]> {
  if (urls.length === 0) return [];
  const held = await scope.memory.hold('texts', urls.length * MAX_TEXT * CHARACTER);
  const pages = (await Promise.all(urls.map((url) => tryReadPage(scope, url.trim())))).filter((page) => page !== undefined);
  held.resize(pages.reduce((sum, { text }) => sum + text.length * CHARACTER, 0));
  return pages;
}

/** Returns undefined if the page cannot be read. The reason goes only to the log, because users choose the address. */
async function tryReadPage({ organizationId, outbound, signal, memory }: WorkScope, url: string): Promise<Page | undefined> {
  try {
    return await memory.during(READING, () => readPage(outbound, organizationId, url, signal));
  } catch (error) {
    if (!(error instanceof OutboundRefused)) throw error;
    log.info({ address: addressOf(url), kind: error.kind }, 'Failed to read a source page');
    return undefined;
  }
}

/** Images of pages that an item stores, and images in a request to the model. */
const [MAX_IMAGES, MAX_PICTURES] = [8, 4];

/** An image on a page, with its alternative text and its size in bytes. */
export interface SourceImage extends Omit<Image, 'bytes'> {
  bytes: number;
  sourceUrl: string;
  alt: string;
}

interface Images {
  /** Images of the pages, which are stored. */
  images: SourceImage[];
  /** As `data:` URLs: the first files and images of pages, for the model. */
  pictures: string[];
}

/**
 * Load the images of files and, if the job extracts images, of pages. Waits for memory, which the item holds until its end.
 * @param requests concurrent requests to the model that contain the images; without any, only the images of pages are read
 */
export async function loadImages(
  scope: WorkScope,
  job: Job,
  { files, pages, requests }: { files: Picture[]; pages: Page[]; requests: number },
): Promise<Images> {
  const shown = requests > 0 ? files : [];
  const wanted = job.extractImages
    ? pages.flatMap(({ url, images }) => images.map((image) => ({ ...image, sourceUrl: url }))).slice(0, MAX_IMAGES)
    : [];
  if (shown.length + wanted.length === 0) return { images: [], pictures: [] };

  const filed = imageMemory(shown, requests);
  const held = await scope.memory.hold('contents', filed + wanted.length * MAX_IMAGE_BYTES);
  const pictures = await Promise.all(shown.map(({ id, mime }) => sharedDataUrlOf(scope, id, mime)));
  const read = await readImages(scope, wanted);
  const more = requests > 0 ? read.slice(0, MAX_PICTURES - pictures.length) : [];
  held.resize(
    filed +
      imageMemory(
        more.map(({ image }) => image),
        requests,
      ),
  );
  return { images: read.map(({ image }) => image), pictures: [...pictures, ...more.map(({ content }) => urlOf(content))] };
}

const urlOf = ({ mime, bytes }: Image) => `data:${mime};base64,${bytes.toString('base64')}`;

type Wanted = Page['images'][number] & { sourceUrl: string };

async function readImages(
  { organizationId, outbound, signal }: WorkScope,
  wanted: Wanted[],
): Promise<{ image: SourceImage; content: Image }[]> {
  const read = await Promise.all(
    wanted.map(({ url, alt, sourceUrl }) =>
      readImage(outbound, organizationId, url, signal).then(
        (content) => ({ image: { ...content, bytes: content.bytes.length, alt, sourceUrl }, content }),
        (error: unknown) => {
          if (error instanceof OutboundRefused) return undefined;
          throw error;
        },
      ),
    ),
  );
  return read.filter((each) => each !== undefined);
}
