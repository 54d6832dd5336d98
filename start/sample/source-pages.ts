import { escapeHtml } from '../offline-model/reading/prose.ts';

interface ProductPage {
  name: string;
  section: string;
  prose: string[];
  specifications: Record<string, string>;
}

/** Pages of a fictional shop. Products of the sample name them as their sources, and the offline model serves them. */
const products: Record<string, ProductPage> = {
  'fennel-oak-drift': {
    name: 'Fennel & Oak Drift stand mixer',
    section: 'Kitchen > Mixers',
    prose: [
      'Drift kneads up to 1.2 kg of dough and folds the lightest batter.',
      'The body is made of die-cast zinc, the bowl of stainless steel.',
    ],
    specifications: {
      Motor: '1000 W',
      'Bowl capacity': '4.5 l',
      'Product dimensions (W x D x H)': '22 x 36 x 34 cm',
      'Item weight': '8.4 kg',
      'Package weight': '9.9 kg',
      Colour: 'Red',
      Guarantee: '5 years',
      'First available': '18 September 2023',
    },
  },
  'fennel-oak-gale': {
    name: 'Fennel & Oak Gale blender',
    section: 'Kitchen > Blenders',
    prose: [
      'The Gale crushes ice, nuts and frozen fruit without being pushed.',
      'Its jug of Tritan is dishwasher-safe, the motor base is not.',
    ],
    specifications: {
      Power: '1,500 W',
      Capacity: '2 litres',
      Weight: '4.6 kg',
      Height: '43 cm',
      Width: '19.5 cm',
      Colour: 'Charcoal',
      'Power source': 'Mains',
      Warranty: '5 years',
      Certifications: 'CE, UKCA, RoHS',
    },
  },
  'lumen-lath-arc': {
    name: 'Lumen & Lath Arc desk lamp',
    section: 'Lighting > Desk lamps',
    prose: [
      'A slim desk lamp whose arm turns in any direction and stays where it is left.',
      'Made of brushed aluminium, dimmable in five steps.',
    ],
    specifications: {
      'Power consumption': '7 W',
      'Energy label': 'C',
      Height: '46 cm',
      Weight: '1.3 kg',
      Colour: 'Silver',
      'Power source': 'Mains (plug-in adapter)',
      Warranty: '3 years',
      'Launch date': '10 January 2024',
      Certifications: 'CE, RoHS, Energy Star',
    },
  },
  'lumen-lath-perch': {
    name: 'Lumen & Lath Perch task chair',
    section: 'Office > Chairs',
    prose: [
      'Perch is a task chair for long days, with a mesh back and lumbar support.',
      'It ships almost assembled: five minutes and one hex key.',
    ],
    specifications: {
      'Seat height': '44–56 cm',
      'Overall height': '98–112 cm',
      Width: '66 cm',
      'Max. user weight': '130 kg',
      Weight: '14.5 kg',
      'Frame material': 'Recycled aluminium',
      Colour: 'Black, blue',
      Warranty: '10 years',
      Certifications: 'GS',
    },
  },
  'nordstien-lys': {
    name: 'Nordstien Lys head torch',
    section: 'Outdoor > Lighting',
    prose: [
      'A light head torch for trail runs and camp, with 400 lumens and a red night light.',
      'Lys is waterproof to IPX6 and can be dipped in a stream.',
    ],
    specifications: {
      'Luminous flux': '400 lm',
      'Weight incl. battery': '82 g',
      'Power source': 'Rechargeable battery',
      'Burn time': '5 h / 60 h',
      Colour: 'Orange',
      Warranty: '3 years',
      Certifications: 'CE',
    },
  },
  'nordstien-telt-2': {
    name: 'Nordstien Telt 2 tunnel tent',
    section: 'Outdoor > Tents',
    prose: [
      'Telt 2 is a tunnel tent for two people and their wet boots.',
      'It stands 105 cm high inside and is pitched in five minutes.',
    ],
    specifications: {
      Weight: '2.6 kg',
      'Packed size': '46 x 16 cm',
      Material: 'Silicone-coated nylon',
      Width: '140 cm',
      Colour: 'Sand',
      Waterproof: 'Yes, 3000 mm',
      Warranty: '5 years',
      Certifications: 'bluesign, OEKO-TEX',
    },
  },
  'torvik-js18': {
    name: 'Torvik JS18 cordless jigsaw',
    section: 'Cordless tools > Saws',
    prose: [
      'The JS18 is a barrel-grip jigsaw for clean curves in worktops and panels.',
      'It runs on every battery of the Torvik 18 V system and weighs 1.9 kg without battery.',
    ],
    specifications: {
      Stroke: '26 mm',
      Voltage: '18 V',
      Weight: '1.9 kg',
      'Housing material': 'Glass-filled nylon',
      Colour: 'Orange / black',
      'Power source': 'Battery',
      Warranty: '3 years',
      'Release date': '2 May 2024',
      Certifications: 'CE, UKCA',
    },
  },
  'torvik-lb360': {
    name: 'Torvik LB360 cross-line laser',
    section: 'Measuring > Lasers',
    prose: [
      'A self-levelling laser with one 360° line and one vertical line, for tilers and drywallers.',
      'The housing is dust-tight and splash-proof.',
    ],
    specifications: {
      Accuracy: '± 0.3 mm/m',
      Range: '25 m',
      Weight: '640 g',
      'Dimensions (W × H × D)': '8 × 12 × 10 cm',
      'Protection class': 'IP54',
      'Power source': 'Rechargeable battery, USB-C charging',
      Warranty: '24 months',
      Certifications: 'CE, RoHS',
    },
  },
};

const service = `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <title>Delivery, returns and repairs | Example Trade Supplies</title>
</head>
<body>
  <header>
    <nav aria-label="Main"><a href="/">Home</a> <a href="/new">New in</a> <a href="/basket">Basket (0)</a></nav>
  </header>
  <main>
    <article>
      <h1>Delivery, returns and repairs</h1>
      <h2>Delivery</h2>
      <p>Parcels leave our warehouse in Utrecht on the day of the order if it arrives before 15:00. Delivery takes two working days and costs 6 euros. From 50 euros the delivery is free.</p>
      <h2>Returns</h2>
      <p>You can return unused goods within 30 days. We pay the return label and refund the money within five working days. Batteries must be returned in their original box.</p>
      <h2>Repairs</h2>
      <p>Our workshop repairs tools of every maker that we sell. A repair takes about ten working days, and we tell you the price before we begin.</p>
      <h2>Opening hours</h2>
      <p>The counter in Utrecht is open from Monday to Friday, 7:00 to 17:30, and on Saturday from 9:00 to 13:00.</p>
    </article>
  </main>
  <footer><p>© Example Trade Supplies. All rights reserved.</p></footer>
</body>
</html>
`;

/** The HTML of a page by its name; undefined if there is none. */
export function samplePage(name: string): string | undefined {
  if (name === 'service') return service;
  return Object.hasOwn(products, name) ? productPage(products[name]!) : undefined;
}

/** As pages of shops are, with navigation, other products and a footer around the content. */
function productPage({ name, section, prose, specifications }: ProductPage): string {
  const paragraphs = prose.map((text) => `      <p>${escapeHtml(text)}</p>`);
  const rows = Object.entries(specifications).map(
    ([label, value]) => `        <tr><th scope="row">${escapeHtml(label)}</th><td>${escapeHtml(value)}</td></tr>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <title>${escapeHtml(name)} | Example Trade Supplies</title>
</head>
<body>
  <header>
    <nav aria-label="Main">
      <a href="/">Home</a> <a href="/new">New in</a> <a href="/offers">Offers</a> <a href="/account">Sign in</a> <a href="/basket">Basket (0)</a>
    </nav>
    <p class="crumbs">Home &gt; ${escapeHtml(section)}</p>
  </header>
  <main>
    <article>
      <h1>${escapeHtml(name)}</h1>
${paragraphs.join('\n')}
      <h2>Specifications</h2>
      <table>
${rows.join('\n')}
      </table>
    </article>
    <aside>
      <h2>Customers also bought</h2>
      <ul>
        <li><a href="/p/1041">Cleaning cloth, pack of 10</a></li>
        <li><a href="/p/2207">Universal storage box 30 l</a></li>
      </ul>
    </aside>
  </main>
  <footer>
    <p>Free delivery from 50 euros. Orders over 40 kg are shipped by freight.</p>
    <p>© Example Trade Supplies. All rights reserved. This site uses cookies.</p>
  </footer>
</body>
</html>
`;
}
