import type { SampleProduct } from './product.ts';

const maker = { brand: 'Nordstien', category: 'Outdoor gear', manufacturer: 'Nordstien Outdoor AS' };

export const outdoor: SampleProduct[] = [
  {
    ...maker,
    sku: 'NS-FJELL',
    name: 'Nordstien Fjell trekking backpack',
    mpn: 'FJELL',
    isParent: true,
    userProvidedRawDataSources: ['Fjell: the trekking backpack in 38, 48 and 65 litres, one harness for all.'],
  },
  {
    ...maker,
    sku: 'NS-FJELL-38',
    name: 'Nordstien Fjell 38 trekking backpack',
    mpn: 'FJELL-38',
    parentSku: 'NS-FJELL',
    userProvidedRawDataSources: [
      `Volume: 38 l
Weight: 1380 g
Shell fabric: 210D recycled nylon
Colour: navy, black
Max. load: 14 kg
Rain cover: included
Water-repellent: yes
Warranty: 5 years
Certifications: bluesign`,
    ],
  },
  {
    ...maker,
    sku: 'NS-FJELL-48',
    name: 'Nordstien Fjell 48 trekking backpack',
    mpn: 'FJELL-48',
    parentSku: 'NS-FJELL',
    userProvidedRawDataSources: [
      'Fjell 48 is the hut-to-hut size: room for a week, still fine as hand luggage on the train. 48 litres, 1.55 kg, loads up to 18 kg. Sewn from 210D recycled nylon, bluesign approved. The fabric is water-repellent but not waterproof, a rain cover sits in the bottom pocket. Available in navy and olive. Five-year warranty.',
    ],
  },
  {
    ...maker,
    sku: 'NS-FJELL-65',
    name: 'Nordstien Fjell 65 trekking backpack',
    mpn: 'FJELL-65',
    parentSku: 'NS-FJELL',
    userProvidedRawDataSources: [
      `Fjell 65
Volume\t65 l
Weight\t1.9 kg
Dimensions\tH 78 x W 36 x D 28 cm
Shell fabric\t420D recycled nylon
Color\tBlack
Water resistant\tyes, with rain cover
Released\t15.02.2025`,
    ],
  },
  {
    ...maker,
    sku: 'NS-BRIS',
    name: 'Nordstien Bris rain jacket',
    mpn: 'BRIS',
    isParent: true,
    userProvidedRawDataSources: ['Bris, the light three-layer shell. Sizes by variant.'],
  },
  {
    ...maker,
    sku: 'NS-BRIS-M',
    name: 'Nordstien Bris rain jacket, M',
    mpn: 'BRIS-M',
    parentSku: 'NS-BRIS',
    userProvidedRawDataSources: [
      'Three-layer rain jacket with a hood that fits over a helmet. Waterproof to 20,000 mm, taped seams. Made from recycled polyester. Size M weighs 310 g. Colours: yellow, graphite. OEKO-TEX certified.',
    ],
  },
  {
    ...maker,
    sku: 'NS-BRIS-L',
    name: 'Nordstien Bris rain jacket, L',
    mpn: 'BRIS-L',
    parentSku: 'NS-BRIS',
    userProvidedRawDataSources: [
      `Material: recycled polyester, 3 layers
Weight: 0.33 kg
Waterproof: 20,000 mm water column
Colour: Yellow; Care: 30 °C gentle wash
Certificates: OEKO-TEX`,
    ],
  },
  {
    ...maker,
    sku: 'NS-LYS',
    name: 'Nordstien Lys head torch',
    mpn: 'LYS-400',
    page: 'nordstien-lys',
    userProvidedRawDataSources: [],
  },
  {
    ...maker,
    sku: 'NS-KOK',
    name: 'Nordstien Kok gas stove',
    mpn: 'KOK-1',
    userProvidedRawDataSources: [
      'Folding gas stove for screw cartridges. Output 2.8 kW, a litre of water boils in three and a half minutes. Stainless steel and brass. 96 g without cartridge. Packs to 9 x 5 cm. Lifetime warranty on the burner.',
    ],
  },
  {
    ...maker,
    sku: 'NS-TELT2',
    name: 'Nordstien Telt 2 tunnel tent',
    mpn: 'TELT-2',
    page: 'nordstien-telt-2',
    userProvidedRawDataSources: [
      'Dealer note: the green version is sold out, only sand is delivered. Please ignore the old weight of 2.9 kg in the catalogue.',
    ],
  },
  {
    ...maker,
    sku: 'NS-SOL20',
    name: 'Nordstien Sol 20 folding solar panel',
    mpn: 'SOL-20',
    userProvidedRawDataSources: [
      `Nordstien Sol 20
Power: 20 W
Power source: solar
Weight: 1 lb 6 oz
Splash-proof: yes
Folded: 28 x 18 x 3 cm (W x H x D)
Unfolded: 84 x 28 cm
Warranty: 18 months`,
    ],
  },
];
