import type { SampleProduct } from './product.ts';

const maker = { brand: 'Lumen & Lath', category: 'Office furniture and lighting', manufacturer: 'Lumen & Lath GmbH' };

export const furniture: SampleProduct[] = [
  {
    ...maker,
    sku: 'LL-RISE',
    name: 'Lumen & Lath Rise sit-stand desk',
    mpn: 'RISE',
    isParent: true,
    userProvidedRawDataSources: ['Rise sit-stand desk: one steel frame, tops of 120, 140 and 160 cm.'],
  },
  {
    ...maker,
    sku: 'LL-RISE-120',
    name: 'Lumen & Lath Rise sit-stand desk 120 cm',
    mpn: 'RISE-120',
    parentSku: 'LL-RISE',
    userProvidedRawDataSources: [
      `Table top (W x D): 120 x 70 cm
Height: 64–129 cm
Weight: 31 kg
Max load: 80 kg
Material: powder-coated steel, oak veneer
Colour: white/brown
Power supply: mains, 230 V
Warranty: 5 years
Certifications: GS, FSC`,
    ],
  },
  {
    ...maker,
    sku: 'LL-RISE-160',
    name: 'Lumen & Lath Rise sit-stand desk 160 cm',
    mpn: 'RISE-160',
    parentSku: 'LL-RISE',
    userProvidedRawDataSources: [
      'The large Rise is 160 cm wide and 80 cm deep, with room for two screens. Its height goes from 64 to 129 cm at the push of a button. The desk weighs 38.5 kg and carries 80 kg. Steel frame in black, top of oak veneer (FSC). Five-year guarantee on frame and motors.',
    ],
  },
  {
    ...maker,
    sku: 'LL-PERCH',
    name: 'Lumen & Lath Perch task chair',
    mpn: 'PERCH',
    page: 'lumen-lath-perch',
    userProvidedRawDataSources: [],
  },
  {
    ...maker,
    sku: 'LL-HALO',
    name: 'Lumen & Lath Halo pendant light',
    mpn: 'HALO-50',
    userProvidedRawDataSources: [
      `Pendant light Halo 50
Material: spun aluminium
Colour: charcoal
Power consumption: 24 W
Luminous flux: 2100 lm
Diameter: 50 cm
Height: 320 mm
Net weight: 3.2 kg
Power source: mains
Protection: IP20, for dry rooms only
Marks: CE
Warranty: 3 years`,
    ],
  },
  {
    ...maker,
    sku: 'LL-ARC',
    name: 'Lumen & Lath Arc desk lamp',
    mpn: 'ARC-7',
    page: 'lumen-lath-arc',
    userProvidedRawDataSources: [],
  },
  {
    ...maker,
    sku: 'LL-CUBE',
    name: 'Lumen & Lath Cube drawer unit',
    mpn: 'CUBE-3',
    userProvidedRawDataSources: [
      'Drawer unit on castors with three drawers and a central lock. 42 cm wide, 58 cm deep and 60 cm high. Body of powder-coated steel in anthracite or white. Each drawer carries 20 kg. Weight: 24 kg. GS certified.',
    ],
  },
  {
    ...maker,
    sku: 'LL-PANEL',
    name: 'Lumen & Lath Hush acoustic screen',
    mpn: 'HUSH-140',
    userProvidedRawDataSources: [
      `Hush acoustic screen
Width
140 cm
Height
160 cm
Weight
11,5 kg
Material
Recycled PET felt
Colour
Grey
Certifications
OEKO-TEX`,
    ],
  },
  {
    ...maker,
    sku: 'LL-GARD',
    name: 'Lumen & Lath Gard outdoor wall light',
    mpn: 'GARD-10',
    userProvidedRawDataSources: [
      'Wall light for house entrances, 10 W LED with twilight sensor. Weatherproof (IP65). Housing in die-cast aluminium, black. Size 10 x 20 x 8 cm. Weighs about 0.9 kg. CE marked, available since May 5, 2024.',
    ],
  },
];
