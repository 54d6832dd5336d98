const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Numbers and times in the form of the reader's region and time zone. */
export class Formats {
  readonly #locale: string;
  readonly #numbers: Intl.NumberFormat;
  readonly #credits: Intl.NumberFormat;
  readonly #values: Intl.NumberFormat;
  readonly #tenths: Intl.NumberFormat;
  readonly #percent: Intl.NumberFormat;
  readonly #precisePercent: Intl.NumberFormat;
  readonly #dates: Intl.DateTimeFormat;
  readonly #times: Intl.DateTimeFormat;
  readonly #relative: Intl.RelativeTimeFormat;

  constructor(language: string) {
    // The region comes from the browser if it names one for the language.
    this.#locale = navigator.languages.find((each) => each.startsWith(language)) ?? language;
    this.#numbers = new Intl.NumberFormat(this.#locale, { maximumFractionDigits: 2 });
    this.#credits = new Intl.NumberFormat(this.#locale, { maximumFractionDigits: 3 });
    this.#values = new Intl.NumberFormat(this.#locale, { maximumFractionDigits: 20 });
    this.#tenths = new Intl.NumberFormat(this.#locale, { maximumFractionDigits: 1 });
    this.#percent = new Intl.NumberFormat(this.#locale, { style: 'percent', maximumFractionDigits: 0 });
    this.#precisePercent = new Intl.NumberFormat(this.#locale, { style: 'percent', maximumFractionDigits: 1 });
    this.#dates = new Intl.DateTimeFormat(this.#locale, { dateStyle: 'medium' });
    this.#times = new Intl.DateTimeFormat(this.#locale, { dateStyle: 'medium', timeStyle: 'short' });
    this.#relative = new Intl.RelativeTimeFormat(this.#locale, { numeric: 'auto' });
  }

  number = (value: number) => this.#numbers.format(value);
  value = (value: number) => this.#values.format(value);
  /** Prices have at most three decimals. */
  credits = (value: number) => this.#credits.format(value);
  /** @param value 0 to 100 */
  points = (value: number) => this.#tenths.format(value);
  /** Such as "1.2 MB". */
  bytes(count: number): string {
    const [unit, size] =
      count < 1_000
        ? (['byte', 1] as const)
        : count < 1_000_000
          ? (['kilobyte', 1_000] as const)
          : count < 1_000_000_000
            ? (['megabyte', 1_000_000] as const)
            : (['gigabyte', 1_000_000_000] as const);
    // The short form of a byte has no plural.
    const unitDisplay = unit === 'byte' ? 'long' : 'short';
    return new Intl.NumberFormat(this.#locale, { style: 'unit', unit, unitDisplay, maximumFractionDigits: 1 }).format(count / size);
  }
  /** @param currency an ISO 4217 code */
  money(value: number, currency: string): string {
    // A page may state a currency that is none.
    if (!/^[A-Z]{3}$/.test(currency)) return `${this.number(value)} ${currency}`;
    return new Intl.NumberFormat(this.#locale, { style: 'currency', currency }).format(value);
  }
  /** @param share 0 to 1 */
  percent = (share: number) => this.#percent.format(share);
  /** With one decimal, if it is not zero. @param share 0 to 1 */
  precisePercent = (share: number) => this.#precisePercent.format(share);
  date = (iso: string) => this.#dates.format(new Date(iso));
  /** The month and day of a calendar day, `YYYY-MM-DD`. It is the same day in every time zone. */
  day = (day: string) => this.#calendar(day, { month: 'short', day: 'numeric' });
  /** A calendar day with its year; a time means the day as it is written. */
  fullDay = (day: string) => this.#calendar(day.slice(0, 10), { dateStyle: 'medium' });
  /** @param day from 1, which is Monday, to 7 */
  weekday = (day: number) => this.#calendar(`2024-01-0${day}`, { weekday: 'long' });
  time = (iso: string) => this.#times.format(new Date(iso));
  #calendar(day: string, style: Intl.DateTimeFormatOptions): string {
    return new Intl.DateTimeFormat(this.#locale, { ...style, timeZone: 'UTC' }).format(new Date(day));
  }

  /** Such as "5 minutes ago"; the date if it is more than a week away. */
  ago(iso: string): string {
    const seconds = (new Date(iso).getTime() - Date.now()) / 1000;
    const size = Math.abs(seconds);
    if (size > 7 * DAY) return this.date(iso);
    const [unit, length] =
      size < MINUTE
        ? (['second', 1] as const)
        : size < HOUR
          ? (['minute', MINUTE] as const)
          : size < DAY
            ? (['hour', HOUR] as const)
            : (['day', DAY] as const);
    return this.#relative.format(Math.round(seconds / length), unit);
  }

  /** Such as "1 hr 5 min" or "12 sec". */
  duration(exact: number): string {
    const seconds = Math.round(exact);
    const part = (value: number, unit: string) =>
      new Intl.NumberFormat(this.#locale, { style: 'unit', unit, unitDisplay: 'short' }).format(value);
    const [hours, minutes] = [Math.floor(seconds / HOUR), Math.floor((seconds % HOUR) / MINUTE)];
    if (hours > 0) return `${part(hours, 'hour')} ${part(minutes, 'minute')}`;
    return minutes > 0 ? `${part(minutes, 'minute')} ${part(seconds % MINUTE, 'second')}` : part(seconds, 'second');
  }
}
