import type { SampleProduct } from './product.ts';

const maker = { brand: 'Torvik', category: 'Cordless tools', manufacturer: 'Torvik Werkzeuge AB' };

export const tools: SampleProduct[] = [
  {
    ...maker,
    sku: 'TV-DD18',
    name: 'Torvik DD18 cordless drill driver',
    mpn: 'DD18',
    isParent: true,
    userProvidedRawDataSources: [
      'The DD18 family: one brushless 18 V drill driver in three kits, bare, with one battery, and with two batteries and a case.',
    ],
  },
  {
    ...maker,
    sku: 'TV-DD18-0',
    name: 'Torvik DD18 cordless drill driver, bare tool',
    mpn: 'DD18-0',
    parentSku: 'TV-DD18',
    userProvidedRawDataSources: [
      `Torvik DD18 bare tool
Voltage: 18 V
Max. torque: 62 Nm
Weight: 1.2 kg
Dimensions (W x D x H): 76 x 168 x 205 mm
Housing material: glass-filled nylon
Colour: orange/black
Power source: battery (not included)
Warranty: 3 years
Certifications: CE, UKCA`,
    ],
  },
  {
    ...maker,
    sku: 'TV-DD18-1',
    name: 'Torvik DD18 cordless drill driver, 1 x 2.0 Ah',
    mpn: 'DD18-1',
    parentSku: 'TV-DD18',
    userProvidedRawDataSources: [
      'Compact brushless drill driver for installers who work overhead all day. With its 2.0 Ah battery the DD18-1 weighs 1.6 kg. The housing is glass-filled nylon, in orange and black. Comes with a fast charger and a belt clip. Guaranteed for 36 months after registration. CE marked.',
    ],
  },
  {
    ...maker,
    sku: 'TV-DD18-2',
    name: 'Torvik DD18 cordless drill driver set, 2 x 4.0 Ah in case',
    mpn: 'DD18-2',
    parentSku: 'TV-DD18',
    userProvidedRawDataSources: [
      `DD18-2 set - data sheet
Tool weight incl. battery (kg) | 1.8
Shipping weight | 5.4 kg
Power source | Li-ion battery, 2 x 4.0 Ah
Colour | Orange, black
Warranty | 3 years
On sale since | 2024-03-04`,
    ],
  },
  {
    ...maker,
    sku: 'TV-JS18',
    name: 'Torvik JS18 cordless jigsaw',
    mpn: 'JS18',
    page: 'torvik-js18',
    userProvidedRawDataSources: [],
  },
  {
    ...maker,
    sku: 'TV-AG125',
    name: 'Torvik AG125 angle grinder 125 mm',
    mpn: 'AG125',
    userProvidedRawDataSources: [
      'The AG125 is a slim angle grinder for cutting and grinding steel. Its 1,150 W motor keeps its speed under load. The grinder weighs just 2.1 kg and plugs in with a 4 m mains lead. It is not waterproof: keep it out of the rain. Tested to GS and CE. First available on 12 September 2023.',
    ],
  },
  {
    ...maker,
    sku: 'TV-WV12',
    name: 'Torvik WV12 wet and dry vacuum',
    mpn: 'WV12',
    userProvidedRawDataSources: [
      `Type: Wet and dry vacuum cleaner
Rated power: 1.2 kW
Tank capacity: 20 l
Net weight: 6.8 kg (15 lb)
Size: 38 x 37 x 52 cm (L x W x H)
Tank material: stainless steel
Cable: 5 m
Power supply: mains, 230 V
Guarantee: 24 months
Approvals: CE / GS / RoHS`,
    ],
  },
  {
    ...maker,
    sku: 'TV-WL9',
    name: 'Torvik WL9 rechargeable work light',
    mpn: 'WL9',
    userProvidedRawDataSources: [
      'Rechargeable LED work light with a magnetic foot. The 9 W LED gives up to 900 lumens and replaces a 60 W bulb. Made of impact-resistant polycarbonate. Splash-proof to IPX4. 420 g light, 6 hours of light per charge. Two-year warranty.',
    ],
  },
  {
    ...maker,
    sku: 'TV-LB360',
    name: 'Torvik LB360 cross-line laser',
    mpn: 'LB360',
    page: 'torvik-lb360',
    userProvidedRawDataSources: [],
  },
  {
    ...maker,
    sku: 'TV-CS16',
    name: 'Torvik CS16 cordless chain saw',
    mpn: 'CS16',
    userProvidedRawDataSources: [
      `Cordless chain saw, 16 in bar
Weight without battery: 3.9 kg, with battery 4.7 kg
Oil tank: 200 ml
Chain speed: 18 m/s
Battery: 36 V
Colours: orange
Waterproof: not specified`,
    ],
  },
];
