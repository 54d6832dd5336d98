import {
  askForReply,
  fitSources,
  type Model,
  type ModelAnswer,
  type ModelSource,
  type ModelTier,
} from '../../../platform/model/index.ts';
import { type EnumValue, enums } from '../../../schema/enums.ts';
import { isObject } from '../../../schema/json.ts';
import { fence, type JsonSchema, type Material, messagesOf, object, readAnswers } from './extraction-prompt.ts';
import { namesCurrency, numbersIn } from './literals.ts';

export interface OffersRequest {
  tier: ModelTier;
  product: Readonly<Record<string, string | null>>;
  /** Shop pages with at most one offer each. */
  sources: readonly ModelSource[];
  signal?: AbortSignal;
}

/** The offer of a page for the product. */
export interface Offer {
  price: number;
  originalPrice: number | null;
  /** ISO 4217. */
  currency: string;
  availability: EnumValue<'Availability'>;
}

export interface Offers extends Omit<ModelAnswer<unknown, unknown>, 'values'> {
  /** Offers by source id, without pages that offer another product. */
  offers: Map<string, Offer>;
}

const RULES = `You read what shops ask for one product from their pages.

${fence('product')}
- Each source is a page. Where it offers exactly this product (the same model and part number, not a variant, an accessory or a used one), \
give its offer; otherwise its price is null.
- "price" is the number a buyer pays now for one piece, as it stands on the page, without shipping. "originalPrice" is the price that it was \
reduced from, where the page states one, else null. Never compute, convert or estimate a price.
- "currency" is the ISO 4217 code of the currency the page states.
- "availability" is "unknown" unless the page states it.`;

/** Read the offers for a product. Rejects prices that do not appear on the page. */
export async function readOffers(model: Model, { tier, product, sources, signal }: OffersRequest): Promise<Offers> {
  const material: Material = { product, existing: {}, sources: fitSources(sources) };
  const conversation = messagesOf([RULES], new Map(), material);
  const schema = object(sources.map(({ id }) => [id, offerSchema]));
  const { values, ...answer } = await askForReply(
    model,
    { tier, name: 'offers', schema, conversation, signal, mayBeEmpty: true },
    (text) =>
      readAnswers(
        text,
        material.sources.map((source) => [source.id, source] as const),
        (answer, { title, text: page }) => readOffer(answer, `${title ?? ''}\n${page}`),
      ),
  );
  return { ...answer, offers: new Map([...values].flatMap(([{ id }, offer]) => (offer ? [[id, offer] as const] : []))) };
}

const offerSchema: JsonSchema = object([
  ['price', { type: ['number', 'null'] }],
  ['originalPrice', { type: ['number', 'null'] }],
  ['currency', { type: ['string', 'null'], description: 'ISO 4217' }],
  ['availability', { type: 'string', enum: enums.Availability.values }],
]);

function readOffer(answer: unknown, page: string): Offer | null | { fault: string } {
  if (!isObject(answer)) return { fault: 'is missing; give an object of price, originalPrice, currency and availability' };
  const { price, originalPrice, currency, availability } = answer;
  if (price === null) return null;
  const stated = numbersIn(page);
  if (typeof price !== 'number' || price <= 0 || !stated.has(price))
    return { fault: 'its price must be a number that stands on the page' };
  if (typeof currency !== 'string' || !/^[A-Z]{3}$/.test(currency) || !namesCurrency(page, currency))
    return { fault: 'its currency must be the ISO 4217 code of one that the page states' };
  const reduced = typeof originalPrice === 'number' && originalPrice > price && stated.has(originalPrice);
  const listed = enums.Availability.values.find((each) => each === availability);
  return { price, originalPrice: reduced ? originalPrice : null, currency, availability: listed ?? 'unknown' };
}
