/** The offer of a fictional shop for a product of the sample catalog. */
export interface SampleOffer {
  /** Manufacturer part number. */
  mpn: string;
  /** As the page of the shop prints it. */
  price: string;
  /** Price before a reduction. */
  was?: string;
  stock: string;
}

export interface SampleShop {
  slug: string;
  name: string;
  offers: SampleOffer[];
}

/** Shops for the market analysis of the sample. The offline model serves their pages. */
export const sampleShops: SampleShop[] = [
  {
    slug: 'toolhaus',
    name: 'Toolhaus',
    offers: [
      { mpn: 'JS18', price: '€149.00', was: '€169.00', stock: 'In stock' },
      { mpn: 'AG125', price: '€89.90', stock: 'In stock' },
      { mpn: 'LB360', price: '€219.00', stock: 'Only 2 left' },
      { mpn: 'KOK-1', price: '€34.50', stock: 'In stock' },
    ],
  },
  {
    slug: 'kiste',
    name: 'Kontor & Kiste',
    offers: [
      { mpn: 'JS18', price: '154,95 €', stock: 'In stock' },
      { mpn: 'GALE-15', price: '79,00 €', stock: 'Out of stock' },
      { mpn: 'ARC-7', price: '64,90 €', was: '79,90 €', stock: 'In stock' },
    ],
  },
  {
    slug: 'harbour-market',
    name: 'Harbour Market',
    offers: [
      { mpn: 'JS18', price: '£139.00', stock: 'Pre-order' },
      { mpn: 'GALE-15', price: '£69.50', stock: 'In stock' },
      { mpn: 'KOK-1', price: '£29.99', stock: 'In stock' },
      { mpn: 'ARC-7', price: '£58.00', stock: 'In stock' },
    ],
  },
];
