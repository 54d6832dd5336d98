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

const torvik = { brand: 'Torvik', category: 'Cordless tools', manufacturer: 'Torvik Werkzeuge AB' };
const fennelAndOak = { brand: 'Fennel & Oak', category: 'Kitchen appliances', manufacturer: 'Fennel & Oak Ltd' };
const nordstien = { brand: 'Nordstien', category: 'Outdoor gear', manufacturer: 'Nordstien Outdoor AS' };
const lumenAndLath = { brand: 'Lumen & Lath', category: 'Office furniture and lighting', manufacturer: 'Lumen & Lath GmbH' };

/** Parents precede their variants. */
export const sampleProducts: readonly SampleProduct[] = [
  {
    ...torvik,
    sku: 'TV-DD18',
    name: 'Torvik DD18 cordless drill driver',
    mpn: 'DD18',
    isParent: true,
    userProvidedRawDataSources: [
      'The DD18 family: one brushless 18 V drill driver in three kits, bare, with one battery, and with two batteries and a case.',
    ],
  },
  {
    ...torvik,
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
    ...torvik,
    sku: 'TV-DD18-1',
    name: 'Torvik DD18 cordless drill driver, 1 x 2.0 Ah',
    mpn: 'DD18-1',
    parentSku: 'TV-DD18',
    userProvidedRawDataSources: [
      'Compact brushless drill driver for installers who work overhead all day. With its 2.0 Ah battery the DD18-1 weighs 1.6 kg. The housing is glass-filled nylon, in orange and black. Comes with a fast charger and a belt clip. Guaranteed for 36 months after registration. CE marked.',
    ],
  },
  {
    ...torvik,
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
    ...torvik,
    sku: 'TV-JS18',
    name: 'Torvik JS18 cordless jigsaw',
    mpn: 'JS18',
    page: 'torvik-js18',
    userProvidedRawDataSources: [],
  },
  {
    ...torvik,
    sku: 'TV-AG125',
    name: 'Torvik AG125 angle grinder 125 mm',
    mpn: 'AG125',
    userProvidedRawDataSources: [
      'The AG125 is a slim angle grinder for cutting and grinding steel. Its 1,150 W motor keeps its speed under load. The grinder weighs just 2.1 kg and plugs in with a 4 m mains lead. It is not waterproof: keep it out of the rain. Tested to GS and CE. First available on 12 September 2023.',
    ],
  },
  {
    ...torvik,
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
    ...torvik,
    sku: 'TV-WL9',
    name: 'Torvik WL9 rechargeable work light',
    mpn: 'WL9',
    userProvidedRawDataSources: [
      'Rechargeable LED work light with a magnetic foot. The 9 W LED gives up to 900 lumens and replaces a 60 W bulb. Made of impact-resistant polycarbonate. Splash-proof to IPX4. 420 g light, 6 hours of light per charge. Two-year warranty.',
    ],
  },
  {
    ...torvik,
    sku: 'TV-LB360',
    name: 'Torvik LB360 cross-line laser',
    mpn: 'LB360',
    page: 'torvik-lb360',
    userProvidedRawDataSources: [],
  },
  {
    ...torvik,
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
  {
    ...fennelAndOak,
    sku: 'FO-KET',
    name: 'Fennel & Oak Tide kettle',
    mpn: 'TIDE',
    isParent: true,
    userProvidedRawDataSources: ['The Tide kettle: 1.7 litres, quick and quiet, in three colours.'],
  },
  {
    ...fennelAndOak,
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
    ...fennelAndOak,
    sku: 'FO-KET-WH',
    name: 'Fennel & Oak Tide kettle 1.7 l, white',
    mpn: 'TIDE-WH',
    parentSku: 'FO-KET',
    userProvidedRawDataSources: [
      'A quiet kettle for two to six cups. The Tide holds 1.7 litres and its 2,200 W element brings them to the boil in four minutes. Finished in white enamel over stainless steel. It weighs 1100 g and comes with a two-year guarantee.',
    ],
  },
  {
    ...fennelAndOak,
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
    ...fennelAndOak,
    sku: 'FO-BLD',
    name: 'Fennel & Oak Gale blender',
    mpn: 'GALE-15',
    page: 'fennel-oak-gale',
    userProvidedRawDataSources: [],
  },
  {
    ...fennelAndOak,
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
    ...fennelAndOak,
    sku: 'FO-MIX',
    name: 'Fennel & Oak Drift stand mixer',
    mpn: 'DRIFT-45',
    page: 'fennel-oak-drift',
    userProvidedRawDataSources: [],
  },
  {
    ...fennelAndOak,
    sku: 'FO-GRD',
    name: 'Fennel & Oak Burr hand grinder',
    mpn: 'BURR-H',
    userProvidedRawDataSources: [
      'A hand-cranked coffee grinder for one or two cups. The body is made of anodised aluminium with a walnut handle. Conical steel burrs, 38 clicks from espresso to French press. 520 g. The grinder is 19 cm tall. Not dishwasher safe, wipe clean only.',
    ],
  },
  {
    ...fennelAndOak,
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
    ...fennelAndOak,
    sku: 'FO-IND',
    name: 'Fennel & Oak Flat portable induction hob',
    mpn: 'FLAT-1',
    userProvidedRawDataSources: [
      'Single induction hob for small kitchens and caravans. Draws 2000 W at full power from any 230 V socket. The top is black glass ceramic. Pans from 12 to 22 cm. The hob measures W 29 x D 36 x H 6 cm and weighs 2.6 kg. Meets CE and RoHS. Released 2022-11-15.',
    ],
  },
  {
    ...nordstien,
    sku: 'NS-FJELL',
    name: 'Nordstien Fjell trekking backpack',
    mpn: 'FJELL',
    isParent: true,
    userProvidedRawDataSources: ['Fjell: the trekking backpack in 38, 48 and 65 litres, one harness for all.'],
  },
  {
    ...nordstien,
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
    ...nordstien,
    sku: 'NS-FJELL-48',
    name: 'Nordstien Fjell 48 trekking backpack',
    mpn: 'FJELL-48',
    parentSku: 'NS-FJELL',
    userProvidedRawDataSources: [
      'Fjell 48 is the hut-to-hut size: room for a week, still fine as hand luggage on the train. 48 litres, 1.55 kg, loads up to 18 kg. Sewn from 210D recycled nylon, bluesign approved. The fabric is water-repellent but not waterproof, a rain cover sits in the bottom pocket. Available in navy and olive. Five-year warranty.',
    ],
  },
  {
    ...nordstien,
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
    ...nordstien,
    sku: 'NS-BRIS',
    name: 'Nordstien Bris rain jacket',
    mpn: 'BRIS',
    isParent: true,
    userProvidedRawDataSources: ['Bris, the light three-layer shell. Sizes by variant.'],
  },
  {
    ...nordstien,
    sku: 'NS-BRIS-M',
    name: 'Nordstien Bris rain jacket, M',
    mpn: 'BRIS-M',
    parentSku: 'NS-BRIS',
    userProvidedRawDataSources: [
      'Three-layer rain jacket with a hood that fits over a helmet. Waterproof to 20,000 mm, taped seams. Made from recycled polyester. Size M weighs 310 g. Colours: yellow, graphite. OEKO-TEX certified.',
    ],
  },
  {
    ...nordstien,
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
    ...nordstien,
    sku: 'NS-LYS',
    name: 'Nordstien Lys head torch',
    mpn: 'LYS-400',
    page: 'nordstien-lys',
    userProvidedRawDataSources: [],
  },
  {
    ...nordstien,
    sku: 'NS-KOK',
    name: 'Nordstien Kok gas stove',
    mpn: 'KOK-1',
    userProvidedRawDataSources: [
      'Folding gas stove for screw cartridges. Output 2.8 kW, a litre of water boils in three and a half minutes. Stainless steel and brass. 96 g without cartridge. Packs to 9 x 5 cm. Lifetime warranty on the burner.',
    ],
  },
  {
    ...nordstien,
    sku: 'NS-TELT2',
    name: 'Nordstien Telt 2 tunnel tent',
    mpn: 'TELT-2',
    page: 'nordstien-telt-2',
    userProvidedRawDataSources: [
      'Dealer note: the green version is sold out, only sand is delivered. Please ignore the old weight of 2.9 kg in the catalogue.',
    ],
  },
  {
    ...nordstien,
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
  {
    ...lumenAndLath,
    sku: 'LL-RISE',
    name: 'Lumen & Lath Rise sit-stand desk',
    mpn: 'RISE',
    isParent: true,
    userProvidedRawDataSources: ['Rise sit-stand desk: one steel frame, tops of 120, 140 and 160 cm.'],
  },
  {
    ...lumenAndLath,
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
    ...lumenAndLath,
    sku: 'LL-RISE-160',
    name: 'Lumen & Lath Rise sit-stand desk 160 cm',
    mpn: 'RISE-160',
    parentSku: 'LL-RISE',
    userProvidedRawDataSources: [
      'The large Rise is 160 cm wide and 80 cm deep, with room for two screens. Its height goes from 64 to 129 cm at the push of a button. The desk weighs 38.5 kg and carries 80 kg. Steel frame in black, top of oak veneer (FSC). Five-year guarantee on frame and motors.',
    ],
  },
  {
    ...lumenAndLath,
    sku: 'LL-PERCH',
    name: 'Lumen & Lath Perch task chair',
    mpn: 'PERCH',
    page: 'lumen-lath-perch',
    userProvidedRawDataSources: [],
  },
  {
    ...lumenAndLath,
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
    ...lumenAndLath,
    sku: 'LL-ARC',
    name: 'Lumen & Lath Arc desk lamp',
    mpn: 'ARC-7',
    page: 'lumen-lath-arc',
    userProvidedRawDataSources: [],
  },
  {
    ...lumenAndLath,
    sku: 'LL-CUBE',
    name: 'Lumen & Lath Cube drawer unit',
    mpn: 'CUBE-3',
    userProvidedRawDataSources: [
      'Drawer unit on castors with three drawers and a central lock. 42 cm wide, 58 cm deep and 60 cm high. Body of powder-coated steel in anthracite or white. Each drawer carries 20 kg. Weight: 24 kg. GS certified.',
    ],
  },
  {
    ...lumenAndLath,
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
    ...lumenAndLath,
    sku: 'LL-GARD',
    name: 'Lumen & Lath Gard outdoor wall light',
    mpn: 'GARD-10',
    userProvidedRawDataSources: [
      'Wall light for house entrances, 10 W LED with twilight sensor. Weatherproof (IP65). Housing in die-cast aluminium, black. Size 10 x 20 x 8 cm. Weighs about 0.9 kg. CE marked, available since May 5, 2024.',
    ],
  },
];
