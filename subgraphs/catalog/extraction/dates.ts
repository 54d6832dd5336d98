const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const MONTH =
  '(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)';

/** Unambiguous date formats. `03/04/2024` is ambiguous: the order of day and month is unknown. */
const FORMS = [
  /^(?<year>\d{4})[-/](?<month>\d{1,2})[-/](?<day>\d{1,2})$/,
  // A timestamp means the day in its own time zone.
  /^(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d)[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?\s?(?:Z|[+-]\d\d:?\d\d)?$/i,
  new RegExp(`^(?<day>\\d{1,2})(?:st|nd|rd|th)?\\.? (?:of )?(?<month>${MONTH})\\.?,? (?<year>\\d{4})$`, 'i'),
  new RegExp(`^(?<month>${MONTH})\\.? (?<day>\\d{1,2})(?:st|nd|rd|th)?,? (?<year>\\d{4})$`, 'i'),
];

/** Parse an unambiguous date to YYYY-MM-DD. Does not check that the calendar contains the day. */
export function dateFrom(text: string): string | undefined {
  const parts = FORMS.map((form) => form.exec(text)?.groups).find(Boolean);
  if (!parts) return undefined;
  const { year, month = '', day = '' } = parts;
  const number = MONTHS.indexOf(month.slice(0, 3).toLowerCase()) + 1 || Number(month);
  return [year, String(number).padStart(2, '0'), day.padStart(2, '0')].join('-');
}
