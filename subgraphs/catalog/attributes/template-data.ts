import type { NewAttribute } from './entity.ts';

/** An attribute of a template, with its German name and the German labels of its options in their order. */
export interface AttributeTemplateData
  extends Pick<NewAttribute, 'slug' | 'name' | 'type'>,
    Partial<Pick<NewAttribute, 'constraints'>> {
  options?: string[];
  nameDe: string;
  prompt: string;
  labelsDe?: string[];
  unit?: string;
  required?: boolean;
}

interface TemplateData {
  id: string;
  name: string;
  nameDe: string;
  attributes: AttributeTemplateData[];
}

const description: AttributeTemplateData = {
  slug: 'description',
  name: 'Description',
  nameDe: 'Beschreibung',
  type: 'html',
  prompt: 'The description for the product page: a short paragraph, then a list of the most important facts.',
  constraints: { maxLength: 4_000 },
};
const color: AttributeTemplateData = {
  slug: 'color',
  name: 'Color',
  nameDe: 'Farbe',
  type: 'multiselect',
  prompt: 'The colors of the product.',
  options: [
    'Black',
    'White',
    'Grey',
    'Brown',
    'Beige',
    'Red',
    'Orange',
    'Yellow',
    'Green',
    'Blue',
    'Purple',
    'Pink',
    'Silver',
    'Gold',
  ],
  labelsDe: [
    'Schwarz',
    'Weiß',
    'Grau',
    'Braun',
    'Beige',
    'Rot',
    'Orange',
    'Gelb',
    'Grün',
    'Blau',
    'Lila',
    'Rosa',
    'Silber',
    'Gold',
  ],
};
const number = (
  slug: string,
  name: string,
  nameDe: string,
  unit: string,
  prompt: string,
  rest: Partial<AttributeTemplateData> = {},
): AttributeTemplateData => ({ slug, name, nameDe, type: 'number', unit, prompt, constraints: { min: 0 }, ...rest });
const weight = number('weight', 'Weight', 'Gewicht', 'kg', 'The weight of the product itself, without packaging.');
const width = number('width', 'Width', 'Breite', 'cm', 'The overall width.');
const height = number('height', 'Height', 'Höhe', 'cm', 'The overall height.');
const depth = number('depth', 'Depth', 'Tiefe', 'cm', 'The overall depth.');
const power = number('power', 'Power', 'Leistung', 'W', 'The electrical power that the product draws.');
const warranty = number('warranty', 'Warranty', 'Garantie', 'years', 'How long the manufacturer warrants the product.');
const text = (slug: string, name: string, nameDe: string, prompt: string): AttributeTemplateData => ({
  ...{ slug, name, nameDe, type: 'text', prompt },
  constraints: { maxLength: 200 },
});
const material = text('material', 'Material', 'Material', 'What the product is mainly made of.');
const ean = { ...text('ean', 'EAN', 'EAN', 'The EAN or GTIN of the product, digits only.'), constraints: { maxLength: 14 } };
const yes = (slug: string, name: string, nameDe: string, prompt: string): AttributeTemplateData => ({
  ...{ slug, name, nameDe, type: 'boolean', prompt },
});

/** The usual attributes of some trades. */
export const attributeTemplates: TemplateData[] = [
  {
    id: 'furniture',
    name: 'Furniture',
    nameDe: 'Möbel',
    attributes: [
      { ...description, required: true },
      { ...material, required: true },
      { ...color, required: true },
      ...[width, depth, height].map((each) => ({ ...each, required: true })),
      weight,
      number('seat-height', 'Seat height', 'Sitzhöhe', 'cm', 'The height of the seat above the floor.'),
      number('max-load', 'Maximum load', 'Belastbarkeit', 'kg', 'The weight that the product carries.', {
        constraints: { min: 0 },
      }),
      {
        slug: 'style',
        name: 'Style',
        nameDe: 'Stil',
        type: 'select',
        prompt: 'The style of the furniture.',
        options: ['Modern', 'Classic', 'Country', 'Industrial', 'Scandinavian'],
        labelsDe: ['Modern', 'Klassisch', 'Landhaus', 'Industrie', 'Skandinavisch'],
      },
      yes('assembly-required', 'Assembly required', 'Montage erforderlich', 'Whether the buyer must assemble the product.'),
      text('care', 'Care', 'Pflege', 'How to clean and care for the product.'),
      ean,
    ],
  },
  {
    id: 'fashion',
    name: 'Fashion',
    nameDe: 'Mode',
    attributes: [
      { ...description, required: true },
      { ...color, required: true },
      { ...text('size', 'Size', 'Größe', 'The size as the label states it, such as M or 42.'), required: true },
      {
        slug: 'gender',
        name: 'For',
        nameDe: 'Für',
        type: 'select',
        prompt: 'For whom the garment is made.',
        options: ['Women', 'Men', 'Unisex', 'Girls', 'Boys'],
        labelsDe: ['Damen', 'Herren', 'Unisex', 'Mädchen', 'Jungen'],
        required: true,
      },
      {
        ...text('fabric', 'Fabric', 'Stoff', 'The fibers with their percentages, such as 95 % cotton, 5 % elastane.'),
        required: true,
      },
      {
        slug: 'fit',
        name: 'Fit',
        nameDe: 'Passform',
        type: 'select',
        prompt: 'How the garment fits.',
        options: ['Slim', 'Regular', 'Relaxed', 'Oversized'],
        labelsDe: ['Schmal', 'Normal', 'Locker', 'Oversized'],
      },
      {
        slug: 'season',
        name: 'Season',
        nameDe: 'Saison',
        type: 'multiselect',
        prompt: 'The seasons for which the garment is made.',
        options: ['Spring', 'Summer', 'Autumn', 'Winter'],
        labelsDe: ['Frühling', 'Sommer', 'Herbst', 'Winter'],
      },
      text('pattern', 'Pattern', 'Muster', 'The pattern, such as plain, striped or checked.'),
      text('care', 'Care', 'Pflege', 'How to wash and care for the garment.'),
      yes('vegan', 'Vegan', 'Vegan', 'Whether no part comes from an animal.'),
      ean,
    ],
  },
  {
    id: 'electronics',
    name: 'Electronics',
    nameDe: 'Elektronik',
    attributes: [
      { ...description, required: true },
      color,
      ...[width, height, depth].map((each) => ({ ...each, required: true })),
      { ...weight, required: true },
      power,
      number('voltage', 'Voltage', 'Spannung', 'V', 'The voltage on which the product runs.'),
      number('battery-life', 'Battery life', 'Akkulaufzeit', 'h', 'How long the product runs on its battery.'),
      number('screen-size', 'Screen size', 'Bildschirmdiagonale', 'in', 'The diagonal of the screen.'),
      number('storage', 'Storage', 'Speicher', 'GB', 'The built-in storage.'),
      {
        slug: 'connections',
        name: 'Connections',
        nameDe: 'Anschlüsse',
        type: 'multiselect',
        prompt: 'The connections of the product.',
        options: ['Bluetooth', 'Wi-Fi', 'USB-A', 'USB-C', 'HDMI', 'Ethernet', 'Audio jack', 'NFC'],
        labelsDe: ['Bluetooth', 'WLAN', 'USB-A', 'USB-C', 'HDMI', 'Ethernet', 'Klinke', 'NFC'],
      },
      {
        slug: 'energy-class',
        name: 'Energy class',
        nameDe: 'Energieklasse',
        type: 'select',
        prompt: 'The energy class of the EU label.',
        options: ['A', 'B', 'C', 'D', 'E', 'F', 'G'],
      },
      warranty,
      ean,
    ],
  },
  {
    id: 'tools',
    name: 'Tools',
    nameDe: 'Werkzeuge',
    attributes: [
      { ...description, required: true },
      {
        slug: 'power-source',
        name: 'Power source',
        nameDe: 'Antrieb',
        type: 'select',
        prompt: 'What drives the tool in use.',
        options: ['Battery', 'Mains', 'Petrol', 'Compressed air', 'Manual'],
        labelsDe: ['Akku', 'Netz', 'Benzin', 'Druckluft', 'Hand'],
        required: true,
      },
      { ...power, required: true },
      number('voltage', 'Voltage', 'Spannung', 'V', 'The voltage of the battery or of the mains.'),
      number('torque', 'Torque', 'Drehmoment', 'Nm', 'The highest torque.'),
      number('speed', 'Speed', 'Drehzahl', 'rpm', 'The highest speed without load.'),
      { ...weight, required: true },
      number('noise', 'Noise', 'Lautstärke', 'dB', 'The sound power level.'),
      text('chuck', 'Chuck', 'Bohrfutter', 'The kind and the capacity of the chuck.'),
      text('delivery', 'Included', 'Lieferumfang', 'What the package contains.'),
      {
        slug: 'certifications',
        name: 'Certifications',
        nameDe: 'Prüfzeichen',
        type: 'multiselect',
        prompt: 'Marks and certificates that the product has.',
        options: ['CE', 'GS', 'UKCA', 'RoHS', 'TÜV'],
      },
      warranty,
      ean,
    ],
  },
];
