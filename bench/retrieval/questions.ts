/** Passages of a shop, each with questions in other words, with typos, or in another form. None repeats a whole sentence. */
export const knowledge: [passage: string, ...questions: string[]][] = [
  [
    'All power tools have a warranty of three years from the date on the receipt.',
    'how long are drills under waranty',
    'warranty period for machines',
  ],
  [
    'We ship to Norway, Sweden and Denmark within five working days.',
    'delivry to scandinavia, e.g. Sweden',
    'how many days does shipping to Norway take',
  ],
  ['Business customers can pay by invoice within 14 days.', 'invoice payment for companies', 'paying with invoces'],
  [
    'Our store in Harbor Street 12 is open from nine to six, Monday to Saturday.',
    'opening hours of the shop',
    'is your store open on saturdays',
  ],
  ['Returns are free within 30 days if the packaging is complete.', 'returning an item', 'can i send it back for free'],
  ['A lost key of a safe can be reordered with the number on the plate.', 'i lost my key', 'reorder keys for safes'],
  ['The JS18 jigsaw uses 18 volt batteries of the Torvik series.', 'which battery fits the jigsaw', 'js18 baterry voltage'],
  [
    'Saw blades are changed without tools by the lever on the side.',
    'changing the blade of a saw',
    'replace saw blades withuot tools',
  ],
  [
    'The rain jacket can be washed at 30 degrees, without fabric softener.',
    'washing instructions jacket',
    'at what temperature do I wash the jacket',
  ],
  [
    'Gift cards are valid for four years and can be used in several purchases.',
    'how long is a gift card valid',
    'giftcard validity',
  ],
  [
    'A newsletter subscriber gets a discount of ten percent on the first order.',
    'discount for newsletter',
    'newsleter rebate first order',
  ],
  [
    'Furniture is delivered to the curb; delivery to the apartment costs 49 euros.',
    'cost to carry furniture into my apartment',
    'furnitures delivery price',
  ],
  ['Orders can be canceled until the parcel is handed to the carrier.', 'cancel my order', 'cancelling an order before it is sent'],
  [
    'The charger shows a red light while it charges, and a green light when it is full.',
    'what does the green light on the charger mean',
    'charger ligth red',
  ],
  [
    'Spare parts are available for ten years after the end of production.',
    'spare parts availability',
    'how long do you sell spareparts',
  ],
  ['The paint dries in four hours and can be painted over after one day.', 'drying time of paint', 'when can I paint over it'],
  [
    'Customers in the EU pay no customs duty; orders to Switzerland may be taxed.',
    'customs duties for switzerland',
    'tax on swiss orders',
  ],
  [
    'A personal adviser can be booked by telephone for kitchens and bathrooms.',
    'book an advisor for my kitchen',
    'bathroom advice appointment',
  ],
  ['The ladder carries up to 150 kilograms and meets the standard EN 131.', 'maximum load of the ladder', 'lader standard EN131'],
  ['Passwords are reset by the link in the sign-in window.', 'forgot my password', 'reseting passwort'],
  [
    'The lawn mower cuts grass at six heights, from 20 to 70 millimeters.',
    'cutting heights of the mower',
    'lawnmower grass height',
  ],
  ['We store personal data for two years after the last order.', 'data retention', 'how long do you keep my personal data'],
  ['Used batteries can be dropped in the box beside the entrance.', 'where to recycle old batteries', 'battery recycling'],
  ['The tent is waterproof up to a water column of 3000 millimeters.', 'is the tent waterproof', 'water column tent'],
  [
    'Price guarantee: we refund the difference if another shop is cheaper within 14 days.',
    'lower price elsewhere',
    'price garantee refund',
  ],
  ['A complaint needs a photo of the damage and the order number.', 'my parcel is damaged', 'what do you need for a complaint'],
  [
    'The coffee machine is descaled every three months with the enclosed powder.',
    'descaling the coffe machine',
    'how often must I descale',
  ],
  ['Children under 14 may use the trampoline only with an adult.', 'trampoline age', 'may kids use the trampolin alone'],
  ['The e-bike has a range of 120 kilometers in eco mode.', 'range of the electric bike', 'how far does the ebike go'],
  [
    'Apprentices can apply until the end of March for a start in September.',
    'apprenticeship application deadline',
    'when do aprentices start',
  ],
];
