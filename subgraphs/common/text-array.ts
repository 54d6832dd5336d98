import { ArrayType } from '@mikro-orm/postgresql';

/** Lists of text. The mapper's own quoting is JSON's, which PostgreSQL reads differently: a line break would become the letter n. */
export class TextArray extends ArrayType<string> {
  override convertToDatabaseValue(value: string[] | null): string {
    // Null is passed on as it is; the mapper types it as text all the same.
    return (value && `{${value.map(quoted).join(',')}}`) as string;
  }
}

const quoted = (text: string) => `"${text.replace(/[\\"]/g, '\\$&')}"`;
