import type { AttributeRequest } from '../../subgraphs/catalog/extraction/extraction-prompt.ts';
import catalog from './catalog.json' with { type: 'json' };

/** A product of the sample catalog. The brands are fictional; the texts imitate incomplete supplier texts. */
export interface SampleProduct {
  sku: string;
  name: string;
  brand: string;
  category: string;
  manufacturer: string;
  mpn: string;
  isParent?: boolean;
  /** SKU of the parent product, which precedes its variants. */
  parentSku?: string;
  userProvidedRawDataSources: string[];
  /** The name of a page that serves as another source; the offline model hosts it. */
  page?: string;
}

const { brands } = catalog;

export const sampleProducts: readonly SampleProduct[] = catalog.products.map(({ sources = [], ...product }) => ({
  ...product,
  ...brands[product.brand as keyof typeof brands],
  userProvidedRawDataSources: sources,
}));

type SampleAttribute = Omit<AttributeRequest, 'id'>;

const complete = (attributes: object[]) =>
  attributes.map((attribute) => ({ options: [], constraints: {}, ...attribute }) as unknown as SampleAttribute);

/** The attributes of the sample products. */
export const sampleAttributeSet = { ...catalog.attributeSet, attributes: complete(catalog.attributeSet.attributes) };

/** Attributes of the sample brands and categories, which jobs fill in from the enriched products. */
export const labelAttributes = {
  brand: complete(catalog.labelAttributes.brand),
  category: complete(catalog.labelAttributes.category),
};

/** The offer of a fictional shop for a product. The prices are written as its page prints them. */
export interface SampleOffer {
  mpn: string;
  price: string;
  /** Price before a reduction. */
  was?: string;
  stock: string;
}

/** Shops for the market analysis of the sample. The offline model serves their pages. */
export const sampleShops: { slug: string; name: string; offers: SampleOffer[] }[] = catalog.shops;

export interface ShopPage {
  name: string;
  section: string;
  prose: string[];
  specifications: Record<string, string>;
}

/** Pages of a fictional shop, by name. Products of the sample name them as their sources. */
export const productPages = new Map<string, ShopPage>(Object.entries(catalog.pages));
