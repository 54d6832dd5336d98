import { createHash } from 'node:crypto';
import type { Pool } from 'pg';
import { inTransaction, query, queryPrepared, SWEEP_BUDGET, sql } from '../../../platform/database/index.ts';
import { sharedDataUrlOf } from '../../../platform/files/index.ts';
import { fitSources, type ModelSource, searchWeb, type WebQuestion } from '../../../platform/model/index.ts';
import {
  type Image,
  MAX_IMAGE_BYTES,
  MAX_PAGE_BYTES,
  OutboundRefused,
  readImage,
  readPage,
  type WebPage,
} from '../../../platform/outbound/index.ts';
import { MAX_TEXT } from '../../../platform/reading/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import { log } from '../../../platform/telemetry/index.ts';
import { addressOf } from '../../../schema/errors.ts';
import { truncate } from '../../../schema/text.ts';
import type { Job } from '../jobs/entity.ts';
import { ItemFailure, imageMemory, type WorkScope } from '../jobs/job-kind.ts';
import type { Product } from '../products/entity.ts';
import { groundingOf, type Picture, picturesOf } from '../uploads/grounding.ts';

export type ReadSource = ModelSource & { contentHash: string };

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
export const toReadSources = (sources: Omit<ModelSource, 'id'>[]): ReadSource[] =>
  sources.map((source, index) => ({ id: `s${index + 1}`, ...source, contentHash: hash(source.text) }));

function questionAbout({ name, brand, mpn, sku }: Product): WebQuestion {
  const known = [brand, name, mpn && `part number ${mpn}`, `SKU ${sku}`].filter(Boolean).join(', ');
  return {
    question: `Find the technical specification of this product: ${known}. Cite the manufacturer's page first.`,
    terms: [brand, name, mpn, 'specification'].filter(Boolean).join(' '),
  };
}

/** Read the pages that can be read, once per item. Waits for memory, and the item holds the memory of the texts. */
export async function readPages(scope: WorkScope, urls: string[]): Promise<WebPage[]> {
  if (urls.length === 0) return [];
  const held = await scope.memory.hold('texts', urls.length * MAX_TEXT * CHARACTER);
  const pages = (await Promise.all(urls.map((url) => tryReadPage(scope, url.trim())))).filter((page) => page !== undefined);
  held.resize(pages.reduce((sum, { text }) => sum + text.length * CHARACTER, 0));
  return pages;
}

/** Returns undefined if the page cannot be read. The reason goes only to the log, because users choose the address. */
async function tryReadPage({ organizationId, services, signal, memory }: WorkScope, url: string): Promise<WebPage | undefined> {
  try {
    return await memory.during(READING, () => readPage(services.outbound, organizationId, url, signal));
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
  { files, pages, requests }: { files: Picture[]; pages: WebPage[]; requests: number },
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

type Wanted = WebPage['images'][number] & { sourceUrl: string };

async function readImages(
  { organizationId, services, signal }: WorkScope,
  wanted: Wanted[],
): Promise<{ image: SourceImage; content: Image }[]> {
  const read = await Promise.all(
    wanted.map(({ url, alt, sourceUrl }) =>
      readImage(services.outbound, organizationId, url, signal).then(
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

/** Characters of one stored text, and of the texts that an item reads. */
const [MAX_TEXT_LENGTH, MAX_EVIDENCE] = [100_000, 1_000_000];

/**
 * Stores the texts of sources, once per organization, for reruns. Locks them until the commit, so that concurrent retention
 * (the sweep `evidence`) cannot delete them.
 */
export async function storeTexts({ em, organizationId }: Scope, sources: readonly ReadSource[]): Promise<void> {
  const texts = new Map(sources.map(({ contentHash, text }) => [contentHash, truncate(text, MAX_TEXT_LENGTH)]));
  for (let open = [...texts.keys()]; open.length > 0; ) {
    // A fixed order prevents deadlocks between items that share texts.
    open.sort();
    const written = open.map((hash) => texts.get(hash)!);
    const found = await queryPrepared(
      em,
      sql<{ hash: string; aged: boolean }>`with added as (
            insert into catalog.source_texts (organization_id, hash, text)
            select ${organizationId}, hash, text from unnest(${open}::text[], ${written}::text[]) as read (hash, text)
            on conflict do nothing returning hash
          ), held as (
            select hash, used_at < now() - interval '1 day' as aged from catalog.source_texts
             where organization_id = ${organizationId} and hash = any(${open}::text[]) order by hash for key share
          ) select hash, false as aged from added union all select hash, aged from held`,
    );
    const aged = found.filter((each) => each.aged).map(({ hash }) => hash);
    if (aged.length > 0)
      await query(
        em,
        sql`update catalog.source_texts set used_at = now() where organization_id = ${organizationId} and hash = any(${aged}::text[])`,
      );
    // A concurrent transaction inserted or deleted the remaining texts. The next statement sees the result.
    const known = new Set(found.map(({ hash }) => hash));
    open = open.filter((hash) => !known.has(hash));
  }
}

/** The sources that an earlier job read for a product; undefined if it stored none. */
export async function readEvidence(
  { em, organizationId }: Scope,
  { evidenceJobId }: Job,
  productId: string,
): Promise<ReadSource[] | undefined> {
  if (!evidenceJobId) return undefined;
  const rows = await query(
    em,
    sql<ReadSource>`with read as (
            select s.place, s.kind, s.url, s.title, s.hash, t.text
              from catalog.item_sources s join catalog.source_texts t on t.organization_id = s.organization_id and t.hash = s.hash
             where s.job_id = ${evidenceJobId} and s.product_id = ${productId} and s.organization_id = ${organizationId}
             order by s.place limit 200
          ), fitted as (select catalog.fit_texts(array_agg(text order by place), ${MAX_EVIDENCE}) as texts from read)
          select kind, url, title, hash as "contentHash", texts[(row_number() over (order by place))::int] as text
            from read cross join fitted order by place`,
  );
  return rows.length > 0 ? fitSources(rows).map((row, index) => ({ ...row, id: `s${index + 1}` })) : undefined;
}

interface EvidenceLimits {
  /** Days to keep a text after its last use by an item. */
  days: number;
  /** Total size of texts per organization. The most recently used ones stay. */
  bytes: number;
}

const LIMITS: EvidenceLimits = { days: 90, bytes: 500 * 1024 * 1024 };
/** Texts per transaction. */
const BATCH = 200;

const EXPIRED = `
  select organization_id, hash from catalog.source_texts where used_at < now() - interval '1 day' * $1
   order by used_at limit $2 for update skip locked`;

/**
 * Checks only organizations that stored texts since about the previous sweep; others cannot have exceeded the limit. Skips a text that an
 * item used after the snapshot, because PostgreSQL compares the time again when it locks the row.
 */
const OVER_LIMIT = `
  select t.organization_id, t.hash from catalog.source_texts t join (
      select organization_id, hash, used_at, sum(bytes) over (partition by organization_id order by used_at desc, hash) as total
        from catalog.source_texts
       where organization_id in (select organization_id from catalog.source_texts where used_at > now() - interval '3 hours')
    ) as newest using (organization_id, hash)
   where newest.total > $1 and t.used_at = newest.used_at
   limit $2 for update of t skip locked`;

const SELECTED = 'unnest($1::uuid[], $2::text[]) as gone (organization_id, hash)';
/** A rerun would mistake some of the sources of an item for all of them, so all are deleted. */
const DROP_SOURCES = `
  delete from catalog.item_sources where item_id in (
    select s.item_id from catalog.item_sources s join ${SELECTED} on s.organization_id = gone.organization_id and s.hash = gone.hash)`;
const DROP_TEXTS = `
  delete from catalog.source_texts t using ${SELECTED} where t.organization_id = gone.organization_id and t.hash = gone.hash`;

/** Deletes texts beyond the age and size limits and returns their number. Safe to run concurrently. */
export async function forgetEvidence(pool: Pool, { days, bytes }: EvidenceLimits = LIMITS): Promise<number> {
  return (await deleteTexts(pool, EXPIRED, days)) + (await deleteTexts(pool, OVER_LIMIT, bytes));
}

async function deleteTexts(pool: Pool, selection: string, limit: number): Promise<number> {
  // Both selections share the budget.
  const end = performance.now() + SWEEP_BUDGET / 2;
  let total = 0;
  do {
    const deleted = await inTransaction(pool, async (connection) => {
      // The lock prevents items that complete concurrently from referencing these texts.
      const { rows } = await connection.query<{ organization_id: string; hash: string }>(selection, [limit, BATCH]);
      const selected = [rows.map((row) => row.organization_id), rows.map(({ hash }) => hash)];
      await connection.query(DROP_SOURCES, selected);
      await connection.query(DROP_TEXTS, selected);
      return rows.length;
    });
    total += deleted;
    if (deleted < BATCH) break;
  } while (performance.now() < end);
  return total;
}
