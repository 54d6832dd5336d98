const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const MONTH =
  '(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)';

/** Spellings that name one day. `03/04/2024` is not among them: day and month may change places. */
const FORMS = [
  /^(?<year>\d{4})[-/](?<month>\d{1,2})[-/](?<day>\d{1,2})$/,
  // A timestamp means the day that it writes, in its own zone.
  /^(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d)[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?\s?(?:Z|[+-]\d\d:?\d\d)?$/i,
  new RegExp(`^(?<day>\\d{1,2})(?:st|nd|rd|th)?\\.? (?:of )?(?<month>${MONTH})\\.?,? (?<year>\\d{4})$`, 'i'),
  new RegExp(`^(?<month>${MONTH})\\.? (?<day>\\d{1,2})(?:st|nd|rd|th)?,? (?<year>\\d{4})$`, 'i'),
];

/** The day that a text names, as YYYY-MM-DD, if it can only mean one. Whether the calendar has that day is not checked. */
export function dateFrom(text: string): string | undefined {
  const parts = FORMS.map((form) => form.exec(text)?.groups).find(Boolean);
  if (!parts) return undefined;
  const { year, month = '', day = '' } = parts;
  const number = MONTHS.indexOf(month.slice(0, 3).toLowerCase()) + 1 || Number(month);
  return [year, String(number).padStart(2, '0'), day.padStart(2, '0')].join('-');
}
