import { sharedDataUrlOf } from '../../../platform/files/index.ts';
import { type Image, MAX_IMAGE_BYTES, OutboundRefused, type Page, readImage } from '../../../platform/outbound/index.ts';
import type { Job } from '../jobs/entity.ts';
import type { WorkScope } from '../jobs/kind.ts';
import { imageMemory } from '../jobs/memory.ts';
import type { Picture } from '../uploads/grounding.ts';

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
