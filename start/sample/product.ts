/** A product of the sample catalog. The brands are fictional; the texts imitate incomplete supplier texts. */
export interface SampleProduct {
  sku: string;
  name: string;
  brand: string;
  category: string;
  manufacturer?: string;
  mpn?: string;
  isParent?: true;
  /** SKU of the parent product. */
  parentSku?: string;
  userProvidedRawDataSources: string[];
  /** A page of `pages/` that serves as another source; the offline model hosts it. */
  page?: string;
}
