import type { SampleProduct } from './product.ts';

const maker = { brand: 'Fennel & Oak', category: 'Kitchen appliances', manufacturer: 'Fennel & Oak Ltd' };

export const kitchen: SampleProduct[] = [
  {
    ...maker,
    sku: 'FO-KET',
    name: 'Fennel & Oak Tide kettle',
    mpn: 'TIDE',
    isParent: true,
    userProvidedRawDataSources: ['The Tide kettle: 1.7 litres, quick and quiet, in three colours.'],
  },
  {
    ...maker,
    sku: 'FO-KET-BK',
    name: 'Fennel & Oak Tide kettle 1.7 l, black',
    mpn: 'TIDE-BK',
    parentSku: 'FO-KET',
    userProvidedRawDataSources: [
      `Capacity: 1.7 l
Power: 2200 W
Power source: mains
Colour: black
Material: stainless steel
Weight: 1,1 kg
Height: 24 cm
Width: 22 cm
Warranty: 2 years
Certifications: CE, RoHS`,
    ],
  },
  {
    ...maker,
    sku: 'FO-KET-WH',
    name: 'Fennel & Oak Tide kettle 1.7 l, white',
    mpn: 'TIDE-WH',
    parentSku: 'FO-KET',
    userProvidedRawDataSources: [
      'A quiet kettle for two to six cups. The Tide holds 1.7 litres and its 2,200 W element brings them to the boil in four minutes. Finished in white enamel over stainless steel. It weighs 1100 g and comes with a two-year guarantee.',
    ],
  },
  {
    ...maker,
    sku: 'FO-KET-GN',
    name: 'Fennel & Oak Tide kettle 1.7 l, moss',
    mpn: 'TIDE-GN',
    parentSku: 'FO-KET',
    userProvidedRawDataSources: [
      `TIDE-GN
capacity = 1700 ml
power = 2.2 kW
colour = moss
weight = 2 lb 7 oz
launch date = 1 October 2024`,
    ],
  },
  {
    ...maker,
    sku: 'FO-BLD',
    name: 'Fennel & Oak Gale blender',
    mpn: 'GALE-15',
    page: 'fennel-oak-gale',
    userProvidedRawDataSources: [],
  },
  {
    ...maker,
    sku: 'FO-TST',
    name: 'Fennel & Oak Ember two-slot toaster',
    mpn: 'EMBER-2',
    userProvidedRawDataSources: [
      `Ember two-slot toaster
• Power 850 W
• 6 browning levels
• Dimensions: 28 × 17 × 19 cm (W × D × H)
• Weight approx. 1.4 kg
• Colour: cream / brushed silver
• Warranty 5 years
• CE and UKCA marked`,
    ],
  },
  {
    ...maker,
    sku: 'FO-MIX',
    name: 'Fennel & Oak Drift stand mixer',
    mpn: 'DRIFT-45',
    page: 'fennel-oak-drift',
    userProvidedRawDataSources: [],
  },
  {
    ...maker,
    sku: 'FO-GRD',
    name: 'Fennel & Oak Burr hand grinder',
    mpn: 'BURR-H',
    userProvidedRawDataSources: [
      'A hand-cranked coffee grinder for one or two cups. The body is made of anodised aluminium with a walnut handle. Conical steel burrs, 38 clicks from espresso to French press. 520 g. The grinder is 19 cm tall. Not dishwasher safe, wipe clean only.',
    ],
  },
  {
    ...maker,
    sku: 'FO-RCK',
    name: 'Fennel & Oak Paddy rice cooker',
    mpn: 'PADDY-1',
    userProvidedRawDataSources: [
      `| Property | Value |
| Capacity | 1 litre (5 cups) |
| Power | 400 watts |
| Colour | White |
| Weight | 2,3 kg |
| Warranty | 24 months |
| Height | n/a |
| Date first available | 03/04/2024 |`,
    ],
  },
  {
    ...maker,
    sku: 'FO-IND',
    name: 'Fennel & Oak Flat portable induction hob',
    mpn: 'FLAT-1',
    userProvidedRawDataSources: [
      'Single induction hob for small kitchens and caravans. Draws 2000 W at full power from any 230 V socket. The top is black glass ceramic. Pans from 12 to 22 cm. The hob measures W 29 x D 36 x H 6 cm and weighs 2.6 kg. Meets CE and RoHS. Released 2022-11-15.',
    ],
  },
];
