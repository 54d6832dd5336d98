/** A product of the sample catalog. The brands are invented; the texts read as suppliers write them, gaps and all. */
export interface SampleProduct {
  sku: string;
  name: string;
  brand: string;
  category: string;
  manufacturer?: string;
  mpn?: string;
  isParent?: true;
  /** The SKU of the parent this is a variant of. */
  parentSku?: string;
  userProvidedRawDataSources: string[];
  /** A page of `pages/` to read beside the texts; the offline model serves it. */
  page?: string;
}
