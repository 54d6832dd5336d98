import { ArrayType } from '@mikro-orm/postgresql';

/** Text arrays. MikroORM quotes them as JSON, whose escapes PostgreSQL reads differently: a line break becomes the letter n. */
export class TextArray extends ArrayType<string> {
  override convertToDatabaseValue(value: string[] | null): string {
    // Null passes through, although MikroORM types the result as a string.
    return (value && `{${value.map(quote).join(',')}}`) as string;
  }
}

const quote = (text: string) => `"${text.replace(/[\\"]/g, '\\$&')}"`;
