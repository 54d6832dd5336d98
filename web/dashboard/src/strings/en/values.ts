/** Strings of attribute values, wherever they are shown. */
export const values = {
  none: '—',
  yes: 'Yes',
  no: 'No',
  edit: 'Edit',
  editOf: (name: string) => `Edit ${name}`,
  wrongNumber: 'Enter a number.',
  wrongDate: 'Enter a date as YYYY-MM-DD.',
  unreviewed: 'Not reviewed',
  verdicts: { accept: 'Accepted', edit: 'Edited', reject: 'Rejected' },
  by: (name: string, when: string) => `${name}, ${when}`,
  sourceKinds: {
    text: 'Text of the product',
    page: 'Web page',
    search: 'Web search',
    file: 'Uploaded file',
    variants: 'Variants',
    product: 'Product data',
    review: 'Review',
  },
  own: 'Entered by hand',
};
